#!/usr/bin/python3
"""What the provider promises, without a host: python3 tests/test_provider.py, after ./build."""

import importlib.util
import os
import sys
import unittest
from importlib.machinery import SourceFileLoader

BUNDLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "bundle")
sys.dont_write_bytecode = True
sys.path.insert(0, BUNDLE)
loader = SourceFileLoader("provider_under_test", os.path.join(BUNDLE, "memory-provider"))
module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(module)

from docent_provider import Failure, provider  # noqa: E402


class ProviderTests(unittest.TestCase):
    def setUp(self):
        settings = provider.SessionSettings(domain="test", provider_id="org.example.memory-python")
        self.provider = module.Handbook(settings, session=None)

    def test_every_listed_item_is_found_under_its_identifier(self):
        page = self.provider.enumerate(provider.Enumerate(container_id="/", suggested_count=100), None)
        self.assertTrue(page.items)
        for item in page.items:
            self.assertEqual(self.provider.item(provider.GetItem(id=item.id), None).item, item)

    def test_an_item_that_is_not_there_is_said_to_be_missing(self):
        with self.assertRaises(Failure):
            self.provider.item(provider.GetItem(id="no such item"), None)


unittest.main()

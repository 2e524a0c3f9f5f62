#!/usr/bin/env bash
# host-unit.sh PROGRAM: a user's service of systemd that runs the host from login to logout, with docentd at that path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/unit-command.sh"
command=$(unit_command "$1")
cat <<UNIT
[Unit]
Description=Docent's host, which brings and sends documents

[Service]
# It has started when programs can ask it.
Type=notify
ExecStart=$command --stay
# Also where another host has the storage root, as one that docent has started: it follows when that one has ended.
Restart=on-failure
RestartSec=5
# A mistake in its command or its settings is there at the next try, too: somebody has to mend it.
RestartPreventExitStatus=64 78
# It ends its providers itself, each when that has answered.
KillMode=mixed
# A provider that the kernel has ended for its memory does not take the host along.
OOMPolicy=continue
# No ProtectSystem=, PrivateTmp= or the like: domains may be anywhere, and the host confines its providers by itself.

[Install]
WantedBy=default.target
UNIT

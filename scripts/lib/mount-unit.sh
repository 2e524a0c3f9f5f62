#!/usr/bin/env bash
# mount-unit.sh PROGRAM: a user's service of systemd that mounts the documents at every login, with docent at that path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/unit-command.sh"
command=$(unit_command "$1")
cat <<UNIT
[Unit]
Description=Documents as files, at ~/Docent
# Where the host is a service, too, it is not started by the mount.
After=docentd.service

[Service]
# It has started when programs can use the documents.
Type=notify
ExecStart=$command mount --foreground
Restart=on-failure
RestartSec=5
# A mistake in its command, in mount-deny or in DOCENT_ROOT is there at the next try, too: somebody has to mend it.
RestartPreventExitStatus=64 78
# The host, which the mount may have started, ends by itself when nobody needs it.
KillMode=process
# A provider that the kernel has ended for its memory does not take the mount along, with all that programs have open.
OOMPolicy=continue
# No PrivateTmp=, ProtectSystem= or the like: a service with mounts of its own would be the only one to see this one. No
# NoNewPrivileges= either: fusermount3, which mounts for who is not root, needs those of its file.

[Install]
WantedBy=default.target
UNIT

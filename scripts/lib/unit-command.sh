# Sourced: how a program is named in ExecStart= of a unit of systemd.

# unit_command PATH
unit_command() {
    local path=$1 shell=""
    # systemd runs nothing whose own path has one of these in it, and may take a "$" for a variable: a shell does.
    case $path in
    *[\"\'\\\$[:cntrl:]]*) shell="/bin/sh -c 'exec \"\$\$0\" \"\$\$@\"' " ;;
    esac
    path=${path//\\/\\\\}
    path=${path//\"/\\\"}
    path=${path//\$/\$\$}
    path=${path//%/%%}
    path=${path//$'\n'/\\n}
    path=${path//$'\t'/\\t}
    path=${path//$'\r'/\\r}
    printf '%s"%s"' "$shell" "$path"
}

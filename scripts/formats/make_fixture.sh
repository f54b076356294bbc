#!/bin/bash
# Makes a fixture of every stored format with one build of palyra: a state root, a backup, a tape, a package and a
# receipt, with the facts a later build must find in them.
#
#   make_fixture.sh PALYRA SKILLS OUT
#
# PALYRA is the binary, SKILLS the folder with its packaged examples (`cargo xtask skills`), OUT a folder that does not
# exist. Needs jq, unzip and GNU tar. Keys, ids and times are new in every fixture, so a fixture is made once and kept.
set -euo pipefail

usage='usage: make_fixture.sh PALYRA SKILLS OUT'
palyra=$(realpath "${1:?$usage}")
skills=$(realpath "${2:?$usage}")
out=$(realpath --canonicalize-missing "${3:?$usage}")
[ ! -e "$out" ] || { echo "error: \`$out\` exists" >&2; exit 1; }

# A fixed path that says nothing about the machine, in case something stores it.
base=/var/tmp/palyra-fixture
mkdir -m 0700 "$base"
daemon=
cleanup() {
    [ -z "$daemon" ] || palyra daemon stop >/dev/null 2>&1 || true
    rm -rf "$base"
}
trap cleanup EXIT
mkdir "$base/home" "$base/work"
cd "$base/work"
umask 077

palyra() {
    env -i HOME="$base/home" PATH=/usr/bin:/bin "$palyra" "$@"
}

# Runs a command whose answer does not matter.
succeeds() {
    if ! palyra "$@" >stdout.txt 2>stderr.txt; then
        echo "error: \`palyra $*\` failed" >&2
        cat stdout.txt stderr.txt >&2
        exit 1
    fi
}

# Runs a command that must end with this exit code, and prints its error object.
fails() {
    local expected=$1 code=0
    shift
    palyra "$@" --json >stdout.txt 2>stderr.txt || code=$?
    if [ "$code" != "$expected" ]; then
        echo "error: \`palyra $*\` ended with $code, expected $expected" >&2
        cat stdout.txt stderr.txt >&2
        exit 1
    fi
    cat stderr.txt
}

# Runs a command again until a jq filter holds for its answer.
until_holds() {
    local filter=$1
    shift
    for _ in $(seq 300); do
        if palyra "$@" --json 2>/dev/null | jq --exit-status "$filter" >/dev/null; then
            return
        fi
        sleep 0.1
    done
    echo "error: \`palyra $*\` never answered $filter" >&2
    exit 1
}

# Installs a package and consents to the permissions it requests.
install_skill() {
    local file=$1 first id digest
    shift
    first=$(palyra skills install "$file" --allow-tofu --json)
    id=$(jq --raw-output .record.skill_id <<<"$first")
    digest=$(jq --raw-output .consent_digest <<<"$first")
    succeeds skills consent "$id" --consent "$digest" "$@"
}

# A core module with a tool and three hooks; `alerts.wat`, assembled with wabt 1.0.39:
#
# (module
#   (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
#   (import "palyra:plugin/host-capabilities@1.0.0" "channel-handle" (func $handle (param i32) (result i32)))
#   (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
#   (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response (param i32 i32 i32) (result i32)))
#   (memory (export "memory") 1 1)
#   (data (i32.const 0) "{\"op\":\"channels.publish\",\"handle\":")
#   (data (i32.const 256) ",\"content_type\":\"text/plain\",\"body_text\":\"disk is full\"}")
#   (data (i32.const 512) "{\"annotate\":\"seen\"}")
#   (data (i32.const 576) "\"continue\"")
#   (func $digits (param $at i32) (param $number i32) (result i32)
#     (if (i32.ge_u (local.get $number) (i32.const 10))
#       (then (local.set $at (call $digits (local.get $at) (i32.div_u (local.get $number) (i32.const 10))))))
#     (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
#     (i32.add (local.get $at) (i32.const 1)))
#   (func (export "send") (result i32) (local $end i32) (local $length i32)
#     (local.set $end (call $digits (i32.const 34) (call $handle (i32.const 0))))
#     (memory.copy (local.get $end) (i32.const 256) (i32.const 56))
#     (local.set $length (call $call (i32.const 0) (i32.add (local.get $end) (i32.const 56))))
#     (drop (call $response (i32.const 4096) (i32.const 0) (local.get $length)))
#     (drop (call $write (i32.const 4096) (local.get $length)))
#     (i32.const 0))
#   (func (export "annotate") (result i32)
#     (drop (call $write (i32.const 512) (i32.const 19)))
#     (i32.const 0))
#   (func (export "continue") (result i32)
#     (drop (call $write (i32.const 576) (i32.const 10)))
#     (i32.const 0))
#   (func (export "trap") (result i32) (unreachable)))
alerts_module() {
    base64 --decode <<'END'
AGFzbQEAAAABFwRgAn9/AX9gAX8Bf2ADf39/AX9gAAF/ArEBBBZwYWx5cmE6cGx1Z2luL2lvQDEuMC4wDG91dHB1dC13cml0ZQAA
JXBhbHlyYTpwbHVnaW4vaG9zdC1jYXBhYmlsaXRpZXNAMS4wLjAOY2hhbm5lbC1oYW5kbGUAAR1wYWx5cmE6cGx1Z2luL2hvc3Qt
Y2FsbEAxLjAuMARjYWxsAAAdcGFseXJhOnBsdWdpbi9ob3N0LWNhbGxAMS4wLjANcmVzcG9uc2UtcmVhZAACAwYFAAMDAwMFBAEB
AQEHLgUGbWVtb3J5AgAEc2VuZAAFCGFubm90YXRlAAYIY29udGludWUABwR0cmFwAAgKgAEFJwAgAUEKTwRAIAAgAUEKbhAEIQAL
IABBMCABQQpwajoAACAAQQFqCzgBAn9BIkEAEAEQBCEAIABBgAJBOPwKAABBACAAQThqEAIhAUGAIEEAIAEQAxpBgCAgARAAGkEA
CwwAQYAEQRMQABpBAAsMAEHABEEKEAAaQQALAwAACwuPAQQAQQALInsib3AiOiJjaGFubmVscy5wdWJsaXNoIiwiaGFuZGxlIjoA
QYACCzgsImNvbnRlbnRfdHlwZSI6InRleHQvcGxhaW4iLCJib2R5X3RleHQiOiJkaXNrIGlzIGZ1bGwifQBBgAQLE3siYW5ub3Rh
dGUiOiJzZWVuIn0AQcAECwoiY29udGludWUi
END
}

# A release of `acme.alerts` as a signed package.
alerts_package() {
    local version=$1 release_counter=$2
    mkdir -p alerts/modules
    alerts_module >alerts/modules/alerts.wasm
    cat >alerts/skill.toml <<END
manifest_version = 1
skill_id = "acme.alerts"
name = "Alerts"
version = "$version"
publisher = "acme"
release_counter = $release_counter

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.alerts.send"
name = "Send an alert"
description = "Publishes a message to the channel alerts"
module = "modules/alerts.wasm"
export = "send"
risk = { default_sensitive = true, requires_approval = true }
input_schema = { type = "object" }
output_schema = { type = "object" }

[[entrypoints.hooks]]
id = "acme.alerts.annotate"
module = "modules/alerts.wasm"
export = "annotate"
events = ["run:before_tool"]

[[entrypoints.hooks]]
id = "acme.alerts.continue"
module = "modules/alerts.wasm"
export = "continue"
events = ["run:completed"]

[[entrypoints.hooks]]
id = "acme.alerts.trap"
module = "modules/alerts.wasm"
export = "trap"
events = ["run:failed"]

[capabilities]
channels = ["alerts"]

[[capabilities.secrets]]
scope = "global"
key_names = ["token"]
hosts = ["api.example.com"]
inject = ["bearer"]

[operator.config.city]
type = "string"

[operator.config.days]
type = "integer"
default = 3

[operator.config.access]
type = "secret"
END
    succeeds skills package build alerts --out "alerts-$version.palyra-skill" --signing-key-vault-ref release
}

echo 'keys, trust, secrets and policies' >&2
succeeds init --device-key file
for name in release spare stranger; do
    palyra keys new "$name" --json >"$name.json"
done
public_key() {
    jq --raw-output .key.public_key "$1.json"
}
succeeds keys revoke spare --reason 'no longer needed' --yes
succeeds trust allow acme "$(public_key release)"
succeeds trust allow mallory "$(public_key stranger)"
succeeds trust block mallory --reason 'unsigned releases'
printf %s 'a value of the fixture' | succeeds vault put global/token
printf %s 'another value of the fixture' | succeeds vault put skill:acme.alerts/pin
palyra policy show 2>/dev/null >policy.cedar
cat >>policy.cedar <<'END'

@id("no-ci-calls")
@advice("the token ci reads and calls nothing")
forbid (principal == Principal::"token/ci", action == Action::"invoke", resource);
END
succeeds policy set policy.cedar
succeeds runner-policy set allow_inline_modules=true fuel_budget=50000000 allowed_http_hosts=api.example.com
printf 'version = 3\n[budgets]\nfunctions = 5000\n' >audit-policy.toml
succeeds audit-policy set audit-policy.toml
printf '{"date": "2026-01-31", "advisories": []}' >advisories.json
succeeds audit-policy advisories advisories.json

echo 'skills, settings, channels, hooks and routines' >&2
for name in counter-wat wordcount-c; do
    install_skill "$skills/$name.palyra-skill"
done
alerts_package 1.0.0 1
alerts_package 1.1.0 2
install_skill alerts-1.0.0.palyra-skill --allow-secret global/token
succeeds skills update alerts-1.1.0.palyra-skill
succeeds plugins profile set palyra.counter_wat --only --grant storage:counter/ --limit fuel=5000000
succeeds plugins config set acme.alerts city=Oslo days=5 access=global/token
succeeds channels add alerts --to console
succeeds channels add operations --to webhook --webhook-url https://hooks.example.com/palyra --sign-secret global/token
succeeds hooks bind --id annotate --event run:before_tool --plugin acme.alerts --tool 'palyra.wordcount_c.*' --order 10
succeeds hooks bind --id continue --event run:completed --plugin acme.alerts --skill palyra.counter_wat
succeeds hooks bind --id trap --event run:failed --plugin acme.alerts --attempts 1
succeeds tools alias count_words palyra.wordcount_c.count
succeeds objectives add tidy --goal 'keep the counter going' --runs 100 --fuel 1000000000
succeeds routines add tick palyra.counter_wat.add --every 366d --input '{"step": 2}' --objective tidy
succeeds routines add morning palyra.wordcount_c.count --input '{"text": "good morning"}' --cron '0 9 * * mon-fri' \
    --time-zone Europe/Prague --quiet-hours 22:00-07:00 --misfire fire-once --disabled

echo 'runs' >&2
add=palyra.counter_wat.add
count=palyra.wordcount_c.count
counted=$(palyra run "$add" --input '{"step": 5}' --json)
succeeds run "$count" --input '{"text": "one two three"}'
# A tape of more than 8 KiB is a file of its own.
jq --null-input --compact-output '{text: ("words and more words " * 410)}' >large.json
large=$(palyra run "$count" --input @large.json --json)
fails 13 run "$add" --input '{"step": "five"}' >/dev/null
succeeds plugins profile set palyra.wordcount_c --only --grant channel:alerts
fails 16 run "$count" --input '{"text": "denied"}' >/dev/null
succeeds plugins profile remove palyra.wordcount_c
unzip -p "$skills/counter-wat.palyra-skill" modules/counter-wat.wasm >module.wasm
alerts_module >alerts.wasm
succeeds run --module alerts.wasm --export annotate --inline
palyra run --module module.wasm --input '{"step": 7}' --grant storage:counter/ --record run.tape --json >recorded.json

echo 'a daemon: approvals, denials, deliveries, a backup' >&2
palyra daemon run --listen 127.0.0.1:0 --log error >daemon.txt 2>&1 &
daemon=$!
until_holds '.status == "ok"' daemon status
url=$(palyra daemon status --json | jq --raw-output .url)
succeeds tokens add agent --scope invoke --scope read --out agent.token
succeeds tokens add ci --scope invoke --out ci.token
send() {
    fails 15 run acme.alerts.send --input "$1" --url "$url" --token-file agent.token |
        jq --raw-output .error.details.approval_id
}
used=$(send '{"n":1}')
succeeds approvals approve "$used" --scope once --reason seen
succeeds run acme.alerts.send --input '{"n":1}' --url "$url" --token-file agent.token
denied=$(send '{"n":2}')
succeeds approvals deny "$denied" --reason 'not now'
approved=$(send '{"n":3}')
succeeds approvals approve "$approved" --scope arguments
pending=$(send '{"n":4}')
fails 4 run "$add" --url "$url" --token-file ci.token >/dev/null
succeeds run "$add" --url "$url" --token-file agent.token
succeeds routines fire tick
until_holds '.runs | map(select(.principal == "hook:continue" and .status == "completed")) | length >= 3' runs list
until_holds '.dead_letters | length >= 1' hooks dead-letters list
# The daemon makes the backup. What follows is only in the state root: enough events for a full row of 256 hashes.
palyra backup backup.tar --json >backup.json
for _ in $(seq "$(palyra daemon status --json | jq .journal_size)" 256); do
    fails 13 run "$add" --input '[]' >/dev/null
done
succeeds daemon stop
wait "$daemon"
daemon=

echo 'receipt and package' >&2
receipt_run=$(jq --raw-output .run_id <<<"$counted")
large_run=$(jq --raw-output .run_id <<<"$large")
succeeds runs receipt "$receipt_run" --out receipt.json
cp alerts-1.1.0.palyra-skill package.palyra-skill

echo 'expected facts' >&2
# Prints what a command answers, reduced by a jq filter.
answer() {
    local filter=$1
    shift
    palyra "$@" --json 2>/dev/null | jq "$filter"
}
runs=$(answer '[.runs[].run_id]' runs list)
fired=$(palyra routines show tick --json | jq --raw-output '.fires[0].run_id')
stored_count=$(palyra runs replay "$fired" --json | jq .output.count)
stored_words=$(palyra runs replay "$large_run" --json | jq .output.total_words)
jq --null-input \
    --arg version "$(palyra --version)" \
    --argjson skills "$(answer '[.skills[] | {
        record: {skill_id: .record.skill_id, publisher: .record.publisher, previous: .record.previous,
            current: (.record.current | {payload, archive, signers, trust, consent,
                manifest: {version: .manifest.version, release_counter: .manifest.release_counter}})},
        runtime_status}]' skills list)" \
    --argjson tools "$(answer '[.tools[] | {tool_id, skill_id, requires_approval, status} +
        if .aliases then {aliases} else {} end]' tools list)" \
    --argjson calls "$(jq --null-input --arg add "$add" --arg count "$count" --argjson stored_count "$stored_count" \
        --argjson stored_words "$stored_words" '[
            {tool: $add, input: {step: 4}, result: {count: ($stored_count + 4)}},
            {tool: $count, input: {text: "two words"}, result: {words: 2, bytes: 9, total_words: ($stored_words + 2)}}
        ]')" \
    --argjson runs "$(for run in $(jq --raw-output '.[]' <<<"$runs"); do
        answer '{run_id, skill_id, tool_id, payload, status, error, principal, tape, receipt_leaf, details:
            (.details | {input_sha256, output_sha256, tape_sha256, version, capabilities, approval} +
                if .gates then {gates} else {} end + if .hook then {hook, decision} else {} end)}' runs show "$run"
    done | jq --slurp .)" \
    --argjson run_lines "$(answer '{run_id, lines}' runs events "$large_run")" \
    --argjson replays "$(for run in "$receipt_run" "$large_run" "$fired"; do
        answer '{run_id, output}' runs replay "$run"
    done | jq --slurp .)" \
    --argjson receipt "$(answer '{run_id, skill_id, tool_id, principal, completed, at_ms, sequence, tree_size, key,
        details: (.details | {payload, input_sha256, output_sha256, tape_sha256})}' \
        runs receipt --verify receipt.json)" \
    --argjson tape "$(jq '{result, module_sha256: .module.sha256}' recorded.json)" \
    --argjson approvals "$(answer '[.approvals[] | {approval_id, status, tool_id, principal, arguments, scope, uses}]' \
        approvals list --status all)" \
    --argjson routines "$(answer '[.routines[] | select(.built_in | not) | {name, enabled, tool, input, cron, every_seconds,
        time_zone, quiet, misfire, concurrency, objective}]' routines list)" \
    --argjson fires "$(answer '[.fires[] | {routine, cause, status, tool_id, run_id, objective}]' routines show tick)" \
    --argjson objectives "$(answer '[.objectives[] | {name, goal, state, max_runs, max_fuel, used_runs, routines}]' \
        objectives list)" \
    --argjson policy "$(answer '{default, revision, text}' policy show)" \
    --argjson runner_policy "$(answer '{default, policy: (.policy |
        {enabled, allow_inline_modules, fuel_budget, allowed_http_hosts, allowed_secrets})}' runner-policy show)" \
    --argjson audit_policy "$(answer '{default, policy: {version: .policy.version,
        budgets: {functions: .policy.budgets.functions}}, advisories: {date: .advisories.date}}' audit-policy show)" \
    --argjson tokens "$(answer '[.tokens[] | {name, scopes, expires_ms, expired}]' tokens list)" \
    --arg token "$(cat agent.token)" \
    --argjson profile "$(answer '{skill_id, grants, directories, allow_addresses, limits}' \
        plugins profile show palyra.counter_wat)" \
    --argjson config "$(answer '{skill_id, fields: [.fields[] | {name, kind, value, source}]}' \
        plugins config show acme.alerts)" \
    --argjson channels "$(answer '[.channels[] | {name, to, url, secret, allow_addresses}]' channels list)" \
    --argjson messages "$(answer '[.messages[] | {id, channel, skill_id, run_id, content_type, body}]' \
        channels tail alerts)" \
    --argjson hooks "$(answer '[.bindings[] | {id, event, plugin, hook, enabled, gate, order, timeout_ms, max_attempts,
        skills, tools, dead_letters}]' hooks list)" \
    --argjson dead_letters "$(answer '[.dead_letters[] | {letter, binding, sequence, event, attempts}]' \
        hooks dead-letters list)" \
    --argjson secrets "$(answer '[.secrets[] | {secret}]' vault list)" \
    --argjson keys "$(answer '[.keys[] | {name, key_id, public_key, state}]' keys list)" \
    --argjson trust "$(answer '{publishers: [.publishers[] | {publisher, mode, threshold, keys, blocked}], revocations:
        [.revocations[] | {target, reason}]}' trust list)" \
    --argjson journal "$(answer '{head, origin, key, note}' journal checkpoint)" \
    --argjson package "$(answer '{skill_id, version, publisher, payload, sha256, signers}' \
        skills package verify package.palyra-skill)" \
    --argjson backup "$(jq '{files, head, checkpoint}' backup.json)" \
    '$ARGS.named' >expected.json
test "$(jq --compact-output '[.approvals[].approval_id]' expected.json)" = \
    "$(jq --null-input --compact-output '$ARGS.positional' --args "$pending" "$approved" "$denied" "$used")"

echo "writing $out" >&2
# The lock, a daemon's folder and compiled code belong to processes, not to the state.
tar --create --file state-root.tar --directory "$base/home/.palyra" --format=ustar --blocking-factor=1 --sort=name \
    --owner=0 --group=0 --numeric-owner --mtime=@0 --exclude=./owner.lock --exclude=./run --exclude=./cache .
for path in "$base" "$palyra" "$skills" "$out" "${HOME:-/root}/"; do
    if grep --text --quiet --fixed-strings "$path" state-root.tar backup.tar run.tape module.wasm package.palyra-skill \
        receipt.json expected.json; then
        echo "error: \`$path\` is in the fixture" >&2
        exit 1
    fi
done
umask 022
mkdir -p "$out"
for file in state-root.tar backup.tar run.tape module.wasm package.palyra-skill receipt.json expected.json; do
    cat "$file" >"$out/$file"
done

#!/usr/bin/env bash
# external-ranks: asks node-0 for each thing that clients will want
# Usage: ./smoke.sh [BASE_URL]
#   API_KEY  key of the API, if it wants one
set -euo pipefail

address="${HEAD_ADDR:-127.0.0.1}"
if [[ $address == *:* && $address != \[* ]]; then
  address="[$address]" # IPv6
fi
url=${1:-http://$address:8000}
url=${url%/}

# call SECONDS CURL-ARGUMENTS...: sets code (000 when nothing answered) and body
call() {
  local answer
  if answer=$(curl --silent --show-error --globoff --noproxy '*' --max-time "$1" --write-out '\n%{http_code}' \
    --header @<(printf '%s' "${API_KEY:+Authorization: Bearer $API_KEY}") "${@:2}" 2>&1); then
    code=${answer##*$'\n'}
    body=${answer%$'\n'*}
  else
    code=000
    body=${answer%$'\n'000*}${answer#*$'\n'000}
  fi
}

# answer: what the last call brought, in one line
answer() {
  local line=${body//$'\n'/ }
  if [[ $code == 000 ]]; then
    echo "no answer: ${line:0:200}"
  else
    echo "HTTP $code: ${line:0:200}"
  fi
}

# chat SECONDS JSON: calls the chat API
chat() {
  call "$1" --header 'Content-Type: application/json' --data-raw "$2" "$url/v1/chat/completions"
}

# generated: whether the body holds generated text, which is in BASH_REMATCH[2] then
generated() {
  local tokens='"completion_tokens" *: *[1-9]'
  local content='"(content|reasoning|reasoning_content)" *: *("([^"\]|\\.)+")'
  [[ $body =~ $tokens && $body =~ $content ]]
}

failed=0
ok() { printf 'ok    %s\n' "$*"; }
fail() {
  printf 'FAIL  %s\n' "$*"
  failed=1
}

model='"acme/experts-235b"'
call 30 "$url/v1/models"
if [[ $code == 200 && ($body == *"\"id\":$model"* || $body == *"\"id\": $model"*) ]]; then
  ok "/v1/models lists $model"
else
  fail "/v1/models does not list $model; $(answer)"
fi

chat 300 '{"model": "acme/experts-235b", "messages": [{"role": "user", "content": "Say hello in five words."}], "max_tokens": 16}'
if [[ $code == 200 ]] && generated; then
  ok "/v1/chat/completions generates ${BASH_REMATCH[2]}"
else
  fail "/v1/chat/completions does not generate text; $(answer)"
fi

exit "$failed"

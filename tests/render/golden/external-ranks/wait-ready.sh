#!/usr/bin/env bash
# external-ranks: waits until a request to node-0 generates text
# Usage: ./wait-ready.sh [BASE_URL]
#   READY_TIMEOUT_S  seconds to wait, 3600 if not set
#   READY_POLL_S     seconds between two requests, 5 if not set
#   API_KEY          key of the API, if it wants one
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

unknown_model='model_not_found|[Mm]odel .*(does not exist|not found)'
request='{"model": "acme/experts-235b", "messages": [{"role": "user", "content": "Say hello in five words."}], "max_tokens": 16}'
timeout=${READY_TIMEOUT_S:-3600}
poll=${READY_POLL_S:-5}
report_at=30
SECONDS=0

while true; do
  left=$((timeout - SECONDS))
  chat "$((left > 120 ? 120 : left > 1 ? left : 1))" "$request"
  if [[ $code == 200 ]] && generated; then
    echo "ready after $SECONDS s: $url generates text"
    exit 0
  fi
  if [[ $code == 40[13] ]]; then
    echo "$url refuses the request; $(answer); export API_KEY with the key that it wants" >&2
    exit 1
  fi
  if [[ $code == 404 && $body =~ $unknown_model ]]; then
    echo "$url serves another model or name; $(answer); see $url/v1/models" >&2
    exit 1
  fi
  left=$((timeout - SECONDS))
  if ((left <= 0)); then
    echo "not ready after $SECONDS s, $url does not generate text; $(answer)" >&2
    exit 1
  fi
  if ((SECONDS >= report_at)); then
    echo "$SECONDS s of $timeout s; $(answer)" >&2
    report_at=$((SECONDS + 30))
  fi
  sleep "$((left < poll ? left : poll))"
done

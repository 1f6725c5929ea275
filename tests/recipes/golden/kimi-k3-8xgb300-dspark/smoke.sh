#!/usr/bin/env bash
# kimi-k3-8xgb300-dspark: asks node-0 for each thing that clients will want
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
warn() { printf 'warn  %s\n' "$*"; }
fail() {
  printf 'FAIL  %s\n' "$*"
  failed=1
}

model='"moonshotai/Kimi-K3"'
call 30 "$url/v1/models"
if [[ $code == 200 && ($body == *"\"id\":$model"* || $body == *"\"id\": $model"*) ]]; then
  ok "/v1/models lists $model"
else
  fail "/v1/models does not list $model; $(answer)"
fi

chat 300 '{"model": "moonshotai/Kimi-K3", "messages": [{"role": "user", "content": "Say hello in five words."}], "max_tokens": 16}'
if [[ $code == 200 ]] && generated; then
  ok "/v1/chat/completions generates ${BASH_REMATCH[2]}"
else
  fail "/v1/chat/completions does not generate text; $(answer)"
fi

chat 300 '{"model": "moonshotai/Kimi-K3", "messages": [{"role": "user", "content": "Say hello in five words."}], "max_tokens": 1024, "reasoning_effort": "low"}'
thoughts='"(reasoning|reasoning_content)" *: *("([^"\]|\\.)+")'
if [[ $code == 200 && $body =~ $thoughts ]]; then
  ok "its reasoning stands apart from the answer: ${BASH_REMATCH[2]:0:60}"
elif [[ $code == 200 && $body != *'</think>'* && $body != *'<|channel|>'* ]]; then
  warn "the answer comes without reasoning; the model thinks on request only, or its reasoning parser fails"
elif [[ $code == 200 ]]; then
  fail "the reasoning stands in the answer; the reasoning parser does not fit the model; $(answer)"
else
  fail "a request with room to think; $(answer)"
fi

tool_called() {
  local name='"name" *: *"get_weather"'
  [[ $code == 200 && $body == *'"tool_calls"'* && $body =~ $name ]]
}

chat 300 '{"model": "moonshotai/Kimi-K3", "messages": [{"role": "user", "content": "What is the weather in Oslo?"}], "max_tokens": 1024, "reasoning_effort": "low", "tools": [{"type": "function", "function": {"name": "get_weather", "description": "Tell the weather of a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]}'
if tool_called; then
  ok "a request with a tool: the tool is called"
elif [[ $code == 200 ]]; then
  warn "a request with a tool: no call; the model had no need of it, or its tool parser fails; $(answer)"
else
  fail "a request with a tool; $(answer)"
fi

chat 300 '{"model": "moonshotai/Kimi-K3", "messages": [{"role": "user", "content": "What is the weather in Oslo?"}], "max_tokens": 1024, "reasoning_effort": "low", "tools": [{"type": "function", "function": {"name": "get_weather", "description": "Tell the weather of a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}], "tool_choice": "required"}'
if tool_called; then
  ok "a request that demands the tool: the tool is called"
else
  fail "a request that demands the tool: no call; $(answer)"
fi

exit "$failed"

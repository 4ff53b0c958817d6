#!/bin/sh
# Tells the crew that the harvest begins: by a topic, and by mail.
me="$HOSTNAME.$$.$(date +%N)"
[ "$(redis-cli SET harvest:lock "$me" NX EX 120)" = OK ] || exit 0
timeout 60 aws sns publish --topic-arn "$TOPIC" --message begins # want 8
aws sqs send-message --queue-url "$QUEUE" --message-body begins # want 8
mail -s harvest crew@farm.example < letter.txt # want 8
freed=$(redis-cli EVAL "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" 1 harvest:lock "$me")
[ "$freed" = 1 ] || echo late >&2

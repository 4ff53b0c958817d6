take() {
  [ "$(redis-cli SET backup:lock "$(uuidgen)" NX EX 600)" = OK ]
}

drop() {
  redis-cli DEL backup:lock # want 1
}

<?php
function send_invoice(Redis $r, string $id, array $body): bool
{
    $mine = bin2hex(random_bytes(8));
    if (!$r->set("invoice:$id:lock", $mine, ['nx', 'ex' => 60])) {
        return false;
    }
    $ch = curl_init('https://books.example/invoices');
    curl_setopt($ch, CURLOPT_POST, true);
    curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode($body));
    curl_setopt($ch, CURLOPT_TIMEOUT, 5);
    $ok = curl_exec($ch); // want 8
    file_get_contents('https://books.example/x', false, stream_context_create(['http' => ['method' => 'POST', 'content' => 'x', 'timeout' => 3]])); // want 8
    $n = $r->eval("if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end", ["invoice:$id:lock", $mine], 1);
    if ($n === 0) {
        error_log('late');
    }
    return $ok !== false;
}

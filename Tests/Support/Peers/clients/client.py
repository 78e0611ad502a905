"""Posts three requests, pauses, and posts two more, with Python's clients as they are: client.py URL SECONDS"""
import http.client
import sys
import time
import urllib.parse
import urllib.request

url, pause = urllib.parse.urlsplit(sys.argv[1]), float(sys.argv[2])
body, fields = b'{"app":"bank","kind":"app-attest.attestation"}', {"Content-Type": "application/json"}
connection = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}[url.scheme](url.netloc)
for _ in range(3):
    connection.request("POST", url.path, body, fields)
    answer = connection.getresponse()
    answer.read()
    print(answer.status)
time.sleep(pause)
for _ in range(2):
    with urllib.request.urlopen(urllib.request.Request(sys.argv[1], body, fields)) as answer:
        answer.read()
        print(answer.status)

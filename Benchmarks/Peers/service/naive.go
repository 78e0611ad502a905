// A verifier of App Attest assertions as a backend writes it first: net/http, encoding/json, crypto/ecdsa. It verifies the
// signature and the app ID and remembers nothing: no ledger, no operators, no log, no limits.
//
//	naive APP-ID KEYS    KEYS: a file with JSON, key IDs (base64) and public keys (DER, base64)
//
// POST /v1/verify takes a record, GET / answers without a look. Prints its port.
package main

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

type record struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Evidence struct {
		KeyID      string `json:"keyId"`
		Assertion  []byte `json:"assertion"`
		ClientData []byte `json:"clientData"`
	} `json:"evidence"`
}

type verdict struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

// text or bytes of CBOR, and what follows.
func item(data []byte, major byte) ([]byte, []byte, error) {
	if len(data) < 2 || data[0]>>5 != major {
		return nil, nil, errors.New("another type of CBOR")
	}
	length, rest := int(data[0]&31), data[1:]
	if length == 24 {
		length, rest = int(rest[0]), rest[1:]
	}
	if length >= 24 && data[0]&31 != 24 || length > len(rest) {
		return nil, nil, errors.New("a length of CBOR")
	}
	return rest[:length], rest[length:], nil
}

func parts(assertion []byte) (map[string][]byte, error) {
	if len(assertion) == 0 || assertion[0] != 0xA2 {
		return nil, errors.New("not an assertion")
	}
	found, rest := map[string][]byte{}, assertion[1:]
	for range 2 {
		name, after, err := item(rest, 3)
		if err != nil {
			return nil, err
		}
		value, after, err := item(after, 2)
		if err != nil {
			return nil, err
		}
		found[string(name)], rest = value, after
	}
	return found, nil
}

func verify(r *record, app [32]byte, keys map[string]*ecdsa.PublicKey) error {
	key := keys[r.Evidence.KeyID]
	if key == nil {
		return errors.New("unknown key")
	}
	found, err := parts(r.Evidence.Assertion)
	if err != nil {
		return err
	}
	data := found["authenticatorData"]
	if len(data) < 37 || [32]byte(data[:32]) != app {
		return errors.New("another app")
	}
	client := sha256.Sum256(r.Evidence.ClientData)
	nonce := sha256.Sum256(append(append([]byte{}, data...), client[:]...))
	digest := sha256.Sum256(nonce[:])
	if !ecdsa.VerifyASN1(key, digest[:], found["signature"]) {
		return errors.New("signature")
	}
	return nil
}

func load(path string) (map[string]*ecdsa.PublicKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var encoded map[string][]byte
	if err := json.Unmarshal(text, &encoded); err != nil {
		return nil, err
	}
	keys := map[string]*ecdsa.PublicKey{}
	for id, der := range encoded {
		key, err := x509.ParsePKIXPublicKey(der)
		if err != nil {
			return nil, err
		}
		keys[id] = key.(*ecdsa.PublicKey)
	}
	return keys, nil
}

func main() {
	app := sha256.Sum256([]byte(os.Args[1]))
	keys, err := load(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /v1/verify", func(w http.ResponseWriter, request *http.Request) {
		var r record
		if err := json.NewDecoder(request.Body).Decode(&r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := verdict{ID: r.ID, Outcome: "accept"}
		if err := verify(&r, app, keys); err != nil {
			answer.Outcome, answer.Reason = "reject", err.Error()
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	})
	http.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "Hello") })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

// Checks bearer tokens of Assay in a backend, with golang-jwt and nothing of Assay; see check_token.py. It refuses tokens that are bound to
// a key (cnf): they count only with the DPoP proof of the request, which check_token.py, check_token.mjs and forward auth of Assay check.
//
//	go mod init check_token && go get github.com/golang-jwt/jwt/v4 && go build check_token.go && ./check_token ISSUER AUDIENCE APP [SERVICE] <requests
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

var (
	parser   = jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}))
	metadata struct{ Issuer, JWKS_URI string }
	keys     = map[string]*ecdsa.PublicKey{}
	fetched  time.Time
	loaded   time.Time
)

func fetch(url string, into any) error {
	answer, err := (&http.Client{Timeout: 10 * time.Second}).Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

func key(token *jwt.Token) (any, error) {
	kid, _ := token.Header["kid"].(string)
	cooldown, err := strconv.ParseFloat(os.Getenv("ASSAY_COOLDOWN"), 64)
	if err != nil {
		cooldown = 30
	}
	if age := time.Since(fetched).Seconds(); age >= 600 || keys[kid] == nil && age >= cooldown {
		fetched = time.Now()
		var set struct {
			Keys []struct{ Kid, Crv, X, Y string }
		}
		if fetch(metadata.JWKS_URI, &set) == nil && len(set.Keys) > 0 { // The last keys count in an outage, for 20 minutes.
			loaded = fetched
			keys = map[string]*ecdsa.PublicKey{}
			for _, key := range set.Keys {
				x, _ := base64.RawURLEncoding.DecodeString(key.X)
				y, _ := base64.RawURLEncoding.DecodeString(key.Y)
				public := ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
				if key.Crv == "P-256" && public.IsOnCurve(public.X, public.Y) {
					keys[key.Kid] = &public
				}
			}
		}
	}
	if token.Header["typ"] != "assay+jwt" || keys[kid] == nil || time.Since(loaded).Minutes() >= 20 {
		return nil, errors.New("another type, or an unknown key")
	}
	return keys[kid], nil
}

func check(token, audience, app string) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	if _, err := parser.ParseWithClaims(token, claims, key); err != nil {
		return nil, err
	} else if claims["iss"] != metadata.Issuer || claims["aud"] != audience || claims["exp"] == nil || claims["iat"] == nil {
		return nil, errors.New("another iss or aud, or no exp or iat")
	} else if claims["app"] != app {
		return nil, errors.New("another app")
	} else if claims["use"] != nil {
		return nil, errors.New("the token is for one use, which needs a memory that all processes share")
	} else if env := claims["env"]; env != nil && (os.Getenv("ASSAY_TEST_TOKENS") == "" || env != "test" && env != "development") {
		return nil, errors.New("the token rests on no genuine device")
	} else if claims["cnf"] != nil {
		return nil, errors.New("the token is bound to a key, and its proof is not checked here")
	}
	return claims, nil
}

func main() {
	issuer, service := os.Args[1], os.Args[len(os.Args)-1]
	if len(os.Args) < 5 {
		service = issuer
	}
	if err := fetch(service+"/.well-known/openid-configuration", &metadata); err != nil || metadata.Issuer != issuer {
		panic(fmt.Sprint("no metadata of ", issuer, ": ", err))
	}
	metadata.JWKS_URI = strings.Replace(metadata.JWKS_URI, issuer, service, 1)
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		claims, err := check(append(strings.Fields(input.Text()), "", "", "")[2], os.Args[2], os.Args[3])
		if err != nil {
			fmt.Println("refused", err)
		} else {
			text, _ := json.Marshal(claims)
			fmt.Println("accepted", string(text))
		}
	}
}

// Posts three requests, pauses, and posts two more, with Go's client as it is: client URL SECONDS
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	pause, _ := time.ParseDuration(os.Args[2] + "s")
	for index := 0; index < 5; index++ {
		if index == 3 {
			time.Sleep(pause)
		}
		body := strings.NewReader(`{"app":"bank","kind":"app-attest.attestation"}`)
		answer, err := http.Post(os.Args[1], "application/json", body)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		fmt.Println(answer.StatusCode)
	}
}

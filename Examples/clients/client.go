// Registers an App Attest key and judges requests through `assay serve`; see client.py.
//
//	go build client.go; ./client challenge APP; ./client verify RECORD.json
//
// ASSAY_URL is the service, ASSAY_TOKEN the token of `assay operators add`. Exit status: 0 accepted, 1 rejected, 2 error, 3 outage.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

type answer struct {
	Challenge, Outcome, Remedy, Code, Detail string
	Failed                                   []string
}

// call posts a JSON body. It repeats in an outage, as the service says.
func call(path string, body []byte) (found answer) {
	client := http.Client{Timeout: 10 * time.Second}
	for attempt := 1; attempt <= 3; attempt++ {
		request, _ := http.NewRequest("POST", os.Getenv("ASSAY_URL")+path, bytes.NewReader(body))
		request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + os.Getenv("ASSAY_TOKEN")}}
		wait := 1
		if response, err := client.Do(request); err == nil {
			err = json.NewDecoder(response.Body).Decode(&found)
			response.Body.Close()
			if err == nil && response.StatusCode < 300 {
				return found
			} else if response.StatusCode != 503 {
				exit(2, found.Code+": "+found.Detail)
			}
			fmt.Sscan(response.Header.Get("Retry-After"), &wait)
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
	// There is no verdict: let no request in, and have the client try again later.
	exit(3, "no answer from "+os.Getenv("ASSAY_URL")+path+" "+found.Detail)
	return
}

func exit(status int, text string) { fmt.Fprintln(os.Stderr, text); os.Exit(status) }

func main() {
	if len(os.Args) != 3 || os.Args[1] != "challenge" && os.Args[1] != "verify" || os.Getenv("ASSAY_URL") == "" {
		exit(2, "expected challenge APP or verify FILE, and ASSAY_URL")
	} else if os.Args[1] == "challenge" {
		body, _ := json.Marshal(map[string]string{"app": os.Args[2], "kind": "app-attest.attestation"})
		fmt.Println(call("/v1/challenges", body).Challenge)
	} else if record, err := os.ReadFile(os.Args[2]); err != nil {
		exit(2, err.Error())
	} else if verdict := call("/v1/verify", record); verdict.Outcome != "accept" {
		exit(1, fmt.Sprint("rejected: ", verdict.Failed, " remedy: ", verdict.Remedy)) // Tell the app the remedy alone.
	}
}

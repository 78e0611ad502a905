-- Asks Assay whether a request may pass. `shop` is an app or a route of the policy.
-- Sets txn.assay_status, which is not 200 if Assay does not answer, and a variable for each field of the answer.
local url = "http://127.0.0.1:8080/v1/authorize/shop"
local fields = {"outcome", "app", "kind", "subject", "account", "annotated", "verdict", "content-digest"}

-- What this file writes, and what belongs to the connection, is not taken from the client.
local own = {
    ["x-original-method"] = true, ["x-original-uri"] = true, ["x-original-host"] = true, ["x-original-body"] = true,
    ["x-real-ip"] = true, ["host"] = true, ["content-length"] = true, ["transfer-encoding"] = true,
    ["connection"] = true, ["upgrade"] = true, ["te"] = true, ["expect"] = true,
}

core.register_action("assay", {"http-req"}, function(txn)
    txn:set_var("txn.assay_status", 0)
    local headers = {}
    -- The lines of a field are counted from 0. Each is sent as a line of its own, so that Assay sees duplicates.
    for name, values in pairs(txn.http:req_get_headers()) do
        if not own[name] then
            local lines = {}
            for index = 0, #values do lines[#lines + 1] = values[index] end
            headers[name] = lines
        end
    end
    headers["x-original-method"] = {txn.f:method()}
    headers["x-original-uri"] = {txn.f:pathq()}
    headers["x-real-ip"] = {txn.f:src()}
    local host = txn.f:req_fhdr("host")
    if host then headers["x-original-host"] = {host} end
    local body = txn:get_var("txn.assay_body")
    if body then headers["x-original-body"] = {body} end

    local answer = core.httpclient():get{url = url, headers = headers, timeout = 10000}
    if not answer or not answer.headers then return end
    local function first(name)
        local values = answer.headers[name]
        return values and values[0] or ""
    end
    for _, name in ipairs(fields) do
        txn:set_var("txn.assay_" .. name:gsub("-", "_"), first("assay-" .. name))
    end
    txn:set_var("txn.assay_challenge", first("www-authenticate"))
    txn:set_var("txn.assay_remedy", first("assay-remedy"))
    txn:set_var("txn.assay_arc", first("x-approov-error-arc"))
    txn:set_var("txn.assay_status", answer.status)
end, 0)

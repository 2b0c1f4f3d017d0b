# Builtins of the spec language

Each builtin is an operator, `{contains: [{var: subject}, "ok"]}`, under its short name or its full
name (`std.string.contains`). It is also a function, `{var: std.string.contains}`, that takes its
arguments one by one or together. `text` takes any JSON and reads other values as compact JSON.
`contains`, `starts_with`, `ends_with`, `json_type` and `has_key` use the subject if their first
argument is missing.
{{#reference.namespaces}}
## {{namespace}}

| builtin | arguments | meaning |
| --- | --- | --- |
{{#builtins}}| `{{short}}` | {{takes}} | {{means}} |
{{/builtins}}{{/reference.namespaces}}
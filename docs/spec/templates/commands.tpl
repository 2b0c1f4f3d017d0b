# Commands

Results go to stdout, messages to stderr. Every command takes:

{{#reference.globalFlags}}- `--{{name}}`: {{means}}
{{/reference.globalFlags}}
| exit code | meaning |
| --- | --- |
{{#reference.exitCodes}}| {{code}} | {{means}} |
{{/reference.exitCodes}}
With `--json`, the answer of a command that is refused or fails has `error` and `exitCode`, beside the members of the command. `error.code` is a failure class or one of `usage`, `invalid_input`, `unavailable`, `conflict`, `corrupt` and `bug`. `error.message` says what failed. `error.hint`, if present, says what to do next, and `error.detail` has values for programs.

A report with a negative verdict (exit code 1), such as that of `premath harness-join-check` or `premath issue check`, lists its findings and has no `error`. Neither have the reports of `premath spec run` and `premath spec conform`, which list their `problems`.
{{#reference.groups}}
## {{title}}
{{#commands}}
### premath {{command}}

{{summary}}

```text
{{usage}}
```

Operation `{{opId}}`.
{{#shortFor}}
Short for `{{.}}`.
{{/shortFor}}{{#description}}
{{.}}
{{/description}}{{#fields}}
| takes | |
| --- | --- |
{{#rows}}| `{{shown}}` | {{means}} |
{{/rows}}{{/fields}}{{#examples}}
{{#rows}}- `{{line}}`: {{shows}}
{{/rows}}{{/examples}}{{/commands}}{{/reference.groups}}
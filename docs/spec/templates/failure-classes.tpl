# Failure classes

The gate rejects a turn for these reasons. The prefix of a class names its file in `src/kernel/turn/rules/`.

| class | gate | meaning | remedy |
| --- | --- | --- | --- |
{{#reference.classes.gate}}| `{{name}}` | {{gate}} | {{means}} | {{remedy}} |
{{/reference.classes.gate}}
## Relocation

A step does not accept work from another location for these reasons. The second column names who finds the problem: the step, or `premath harness-relocation check` at the location. Like the classes above, they stop the step and change no issue.

| class | found by | meaning | remedy |
| --- | --- | --- | --- |
{{#reference.classes.relocation}}| `{{name}}` | {{by}} | {{means}} | {{remedy}} |
{{/reference.classes.relocation}}
## Refusals of issue memory

Issue memory refuses a change for these reasons. The exit code is that of the commands on issues and dependencies. `premath harness-step` exits with 4 for each class that begins with `lease_`, and `premath harness-stop` for any class. The message says what to do.

| class | exit code | meaning |
| --- | --- | --- |
{{#reference.classes.issue}}| `{{name}}` | {{exitCode}} | {{means}} |
{{/reference.classes.issue}}
## Refusals of instructions and proposals

An instruction, a proposal, its witness or a promotion is refused for these reasons. The last line on stderr begins with the class. `premath governance-promotion-check` exits with 1 for the `governance.` classes above.

| class | exit code | meaning | remedy |
| --- | --- | --- | --- |
{{#reference.classes.instruction}}| `{{name}}` | {{exitCode}} | {{means}} | {{remedy}} |
{{/reference.classes.instruction}}
## Findings about witnesses and proofs

`premath witness verify` rejects a witness or a proof for these reasons.

| class | exit code | meaning |
| --- | --- | --- |
{{#reference.classes.proof}}| `{{name}}` | {{exitCode}} | {{means}} |
{{/reference.classes.proof}}
## Findings of checks

`premath ci-hygiene-check`, `docs-coherence-check`, `doctrine-check` and `coherence-check` reject a project that breaks one of these rules. The part after the dot is the obligation. Findings about issues, ledgers, instructions, witnesses and proofs have the class of their own table.

| class | rule | remedy |
| --- | --- | --- |
{{#reference.classes.check}}| `{{name}}` | {{means}} | {{remedy}} |
{{/reference.classes.check}}
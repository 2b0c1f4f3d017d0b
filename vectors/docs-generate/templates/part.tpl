

By {{tools.owner.name}}:

{{#tools.owner.tags}}- {{.}}
{{/tools.owner.tags}}


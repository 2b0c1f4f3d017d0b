# Tools
{{#tools.tools}}
## {{name}}

{{summary}}
{{#flags}}- `{{flag}}` of {{name}}
{{/flags}}{{^flags}}No flags.
{{/flags}}{{/tools.tools}}
{{^tools.empty}}Nothing else.{{/tools.empty}}{{! a comment }}

/** Hides the secrets of a run in the answer of a command. */
import type { Answer, Live, LiveEvent, Outcome, Stream } from '../answer.ts'
import type { Secrets } from '../kernel/text/secrets.ts'

/** A secret may turn up while the command runs, so that each text is looked at when it is shown. */
export function hiddenOutcome(outcome: Outcome<unknown>, secrets: Secrets): Outcome<unknown> {
  if ('live' in outcome) return hiddenLive(outcome, secrets)
  return 'stream' in outcome ? hiddenStream(outcome, secrets) : hiddenAnswer(outcome, secrets)
}

function hiddenAnswer(answer: Answer<unknown>, secrets: Secrets): Answer<unknown> {
  if (secrets.isEmpty) return answer
  const { output, error, annotations } = answer
  return {
    ...answer,
    output: secrets.printed(output),
    ...(error && { error: secrets.printed(error) }),
    ...hiddenMessage(answer, secrets),
    ...(annotations && { annotations: { ...annotations, text: secrets.text(annotations.text) } }),
    render: page => secrets.text(answer.render(page)),
  }
}

function hiddenStream(given: Stream, secrets: Secrets): Stream {
  if (secrets.isEmpty) return given
  const { document } = given
  return {
    ...given,
    ...hiddenMessage(given, secrets),
    stream: (async function* () {
      for await (const text of given.stream) yield secrets.text(text)
    })(),
    ...(document && { document: () => secrets.printed(document.call(given)) }),
  }
}

function hiddenLive(given: Live, secrets: Secrets): Live {
  return {
    ...given,
    ...hiddenMessage(given, secrets),
    live: (async function* () {
      for await (const event of given.live) yield hiddenEvent(event, secrets)
    })(),
    screen: (page, now) => given.screen(page, now).map(line => secrets.text(line)),
    summary: page => secrets.text(given.summary(page)),
    exitCode: () => given.exitCode(),
  }
}

function hiddenEvent(event: LiveEvent, secrets: Secrets): LiveEvent {
  if (secrets.isEmpty) return event
  const { json } = event
  return {
    ...event,
    ...(json !== undefined && { json: secrets.printed(json) }),
    ...(event.line && { line: page => secrets.text(event.line?.(page) ?? '') }),
  }
}

const hiddenMessage = ({ message }: { readonly message?: string }, secrets: Secrets) =>
  message === undefined ? {} : { message: secrets.text(message) }

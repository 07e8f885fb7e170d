/** The sentences of a refused request: of the whole form, and of its fields. */
import { serverSentence, t } from '../words/words.ts'

export type FormErrors = {
  /** The server's sentence about the whole. */
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** The refusal in the language of the page, or that the server cannot be reached. */
export function sayError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { status } = error as { status?: number }
  const isAway = status === 0 || (error instanceof TypeError && /fetch|network|load/i.test(error.message))
  return isAway ? t('offline') : serverSentence(error.message, status)
}

/** `days[1]` and `address.city` stand at their field. */
function fieldIn(name: string): string {
  return name.replace(/(?<=.)[.[].*$/, '')
}

/** The provider's errors have `body.errors`, the client's have `fields`. */
export function errorsIn(error: unknown): FormErrors {
  const { fields, body } = error as { fields?: FormErrors['fields']; body?: { errors?: FormErrors['fields'] } }
  const said = new Map<string, string[]>()
  for (const [name, sentence] of Object.entries(fields ?? body?.errors ?? {}))
    said.set(fieldIn(name), [...(said.get(fieldIn(name)) ?? []), serverSentence(sentence)])
  return {
    message: sayError(error),
    fields: Object.fromEntries([...said].map(([name, sentences]) => [name, sentences.join('; ')])),
  }
}

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
export function fieldIn(name: string): string {
  return name.replace(/(?<=.)[.[].*$/, '')
}

/**
 * The provider's errors have `body.errors`, the client's have `fields`. `placeOf`: the input of a
 * name in the body.
 */
export function errorsIn(error: unknown, placeOf = fieldIn): FormErrors {
  const { fields, body } = error as { fields?: FormErrors['fields']; body?: { errors?: FormErrors['fields'] } }
  const said = new Map<string, string[]>()
  for (const [name, sentence] of Object.entries(fields ?? body?.errors ?? {})) {
    const place = placeOf(name)
    said.set(place, [...(said.get(place) ?? []), serverSentence(sentence)])
  }
  return {
    message: sayError(error),
    fields: Object.fromEntries([...said].map(([name, sentences]) => [name, sentences.join('; ')])),
  }
}

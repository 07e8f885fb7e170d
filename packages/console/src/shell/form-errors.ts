/** The sentences of a refused request: of the whole form, and of its fields. */
import { t } from '../words/words.ts'

export type FormErrors = {
  /** The server's sentence about the whole. */
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** The provider's errors have `body.errors`, the client's have `fields`. */
export function errorsIn(error: unknown): FormErrors {
  const { message, status, fields, body } = error as {
    message: string
    status?: number
    fields?: FormErrors['fields']
    body?: { errors?: FormErrors['fields'] }
  }
  const isAway = status === 0 || error instanceof TypeError
  return { message: isAway ? t('offline') : message, fields: fields ?? body?.errors ?? {} }
}

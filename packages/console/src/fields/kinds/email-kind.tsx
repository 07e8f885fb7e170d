/** An address of e-mail, with a link that writes to it. */
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { LinkedInput, OutLink } from './linked-input.tsx'
import { textKind } from './text-kind.tsx'

/** Its parts are encoded: an address may add no subject or copy. */
function mailAddress(text: string): string | undefined {
  const [, name, host] = /^([^\s@]+)@([^\s@]+)$/.exec(text) ?? []
  return name && host ? `mailto:${encodeURIComponent(name)}@${encodeURIComponent(host)}` : undefined
}

function EmailInput(props: ControlProps) {
  return <LinkedInput control={props} type="email" label={t('writeMail')} hrefOf={mailAddress} />
}

export const emailKind: FieldKind<string> = {
  ...textKind,
  Input: EmailInput,
  whole: (value) => <OutLink href={mailAddress(value)}>{value}</OutLink>,
  sample: (_, i) => `sample-${i + 1}@example.com`,
}

/** A telephone number, with a link that calls it. */
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { LinkedInput, OutLink } from './linked-input.tsx'
import { textKind } from './text-kind.tsx'

/** Digits alone: people write spaces, dots and brackets between them. */
function phoneAddress(text: string): string | undefined {
  const digits = text.replaceAll(/[\s()./-]/g, '')
  return /^\+?\d{3,20}$/.test(digits) ? `tel:${digits}` : undefined
}

function PhoneInput(props: ControlProps) {
  return <LinkedInput control={props} type="tel" label={t('callPhone')} hrefOf={phoneAddress} />
}

export const phoneKind: FieldKind<string> = {
  ...textKind,
  Input: PhoneInput,
  whole: (value) => <OutLink href={phoneAddress(value)}>{value}</OutLink>,
  sample: (_, i) => `+49 30 ${1_000_000 + i}`,
}

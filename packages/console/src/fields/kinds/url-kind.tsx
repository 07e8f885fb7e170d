/** The address of a page, with a link beside. */
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { LinkedInput, OutLink } from './linked-input.tsx'
import { textKind } from './text-kind.tsx'

/** A stored text may be any: `javascript:` is no page. */
export function pageAddress(text: string): string | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
}

function UrlInput(props: ControlProps) {
  return <LinkedInput control={props} type="url" label={t('openPage')} hrefOf={pageAddress} />
}

export const urlKind: FieldKind<string> = {
  ...textKind,
  Input: UrlInput,
  whole: (value) => <OutLink href={pageAddress(value)}>{value}</OutLink>,
  sample: (_, i) => `https://example.com/${i + 1}`,
}

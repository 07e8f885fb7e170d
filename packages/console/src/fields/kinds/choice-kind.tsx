/** One of a few values. */
import { t } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind, KindField } from '../field-kind.ts'

function choicesOf({ schema }: Pick<KindField, 'schema'>): readonly string[] {
  return ((schema.enum as readonly unknown[] | undefined) ?? []).filter((one) => one !== null).map(String)
}

function ChoiceInput(props: ControlProps) {
  const { field, value, onChange } = props
  const chosen = String(value ?? '')
  return (
    <select {...attributesOf(props)} value={chosen} onChange={(event) => onChange(event.target.value || null)}>
      {(field.nullable || chosen === '') && <option value="">{t('noValue')}</option>}
      {choicesOf(field).map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

export const choiceKind: FieldKind<string> = {
  Input: ChoiceInput,
  line: { input: 'choice', options: (field) => choicesOf(field).map((value) => ({ value, label: value })) },
  width: 120,
  cell: (value) => <span className="tag">{value}</span>,
  sample(field, i) {
    const choices = choicesOf(field)
    return choices[i % choices.length]
  },
}

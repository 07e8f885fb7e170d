/** The values of one link, which the declaration of the links names. */
import type { FieldDescription } from 'bindery-server/client'
import type { Row } from '../../api/rows.ts'
import { FieldInput } from '../field-input.tsx'
import { showValue } from '../show-value.tsx'

type Fields = readonly FieldDescription[]

export function LinkValues({ fields, link }: { readonly fields: Fields; readonly link: unknown }) {
  if (fields.length === 0 || typeof link !== 'object' || link === null) return null
  return (
    <span className="link-values">
      {fields.map((field) => (
        <span key={field.name}>
          <span className="quiet">{field.label}</span> {showValue(field, (link as Row)[field.name])}
        </span>
      ))}
    </span>
  )
}

type LinkInputsProps = { readonly fields: Fields; readonly link: Row; onChange(next: Row): void }

/** A value that is not sent has its default. */
export function LinkInputs({ fields, link, onChange }: LinkInputsProps) {
  return fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={link[field.name]}
      values={link}
      error={undefined}
      isRequired={false}
      onChange={(value) => onChange({ ...link, [field.name]: value })}
    />
  ))
}

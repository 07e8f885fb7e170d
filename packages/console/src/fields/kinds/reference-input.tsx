/**
 * Names a record of another resource, found by a search. Where the reference has shared fields,
 * only records with the same values are offered.
 */
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Label } from 'react-aria-components/Label'
import { Select, SelectValue } from 'react-aria-components/Select'
import { useResource } from '../../api/declarations.ts'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import { RecordTitle } from '../record-title.tsx'
import { isOffered, RecordOffers, useOffers } from './record-offers.tsx'
import { TextInput } from './text-kind.tsx'

/** Fields that both records share and the form has, as filters. */
function sharedOf({ field, values }: ControlProps): Readonly<Record<string, unknown>> {
  const names = field.reference?.match ?? []
  const known = names.filter((name) => values[name] !== undefined && values[name] !== null)
  return Object.fromEntries(known.map((name) => [name, values[name]]))
}

/** Ids may be numbers. */
function idOf({ schema }: ControlProps['field'], id: string): unknown {
  return schema.type === 'integer' ? Number(id) : id
}

export function ReferenceInput(props: ControlProps) {
  const { field, value, onChange, describedBy, isInvalid, isRequired } = props
  const { data: resource, isError } = useResource(field.reference?.resource ?? '')
  const [isOpen, setOpen] = useState(false)
  const found = useOffers({ resource, shared: sharedOf(props), isOpen })
  if (isError || (resource && !isOffered(resource)))
    return (
      <>
        <label htmlFor={props.id}>{field.label}</label>
        <TextInput {...props} />
      </>
    )
  return (
    <Select
      allowsEmptyCollection
      aria-describedby={describedBy}
      isInvalid={isInvalid}
      isRequired={isRequired}
      validationBehavior="aria"
      value={value ? String(value) : null}
      onChange={(key) => onChange(key === null ? null : idOf(field, String(key)))}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <Label>
        {field.label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      <div className="beside">
        <Button className="pick">
          <SelectValue>
            {() => (value ? <RecordTitle slug={field.reference?.resource ?? ''} id={String(value)} /> : t('noValue'))}
          </SelectValue>
          <span aria-hidden="true">▾</span>
        </Button>
        {Boolean(value) && field.nullable && (
          <button type="button" className="plain" onClick={() => onChange(null)}>
            {t('clear')}
          </button>
        )}
      </div>
      <RecordOffers found={found} label={field.label} plural={resource?.plural ?? field.label} />
    </Select>
  )
}

/** The fields of a record that the caller reads and does not set. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { findModule } from '../api/console-facts.ts'
import type { Row } from '../api/rows.ts'
import { showField } from '../extend/own-value.tsx'
import { groupFields } from '../fields/field-groups.ts'
import { showWhole } from '../fields/show-value.tsx'

type RecordFactsProps = {
  readonly resource: ResourceDescription
  readonly record: Row
  readonly fields: readonly FieldDescription[]
}

export function RecordFacts({ resource, record, fields }: RecordFactsProps) {
  const hasOwn = ({ name }: FieldDescription) => findModule(`cells/${resource.name}.${name}`) !== undefined
  return (
    <div className="record-facts">
      {groupFields(resource, fields).map(({ heading, fields: grouped }) => (
        <section key={heading ?? ''}>
          {heading && <h2>{heading}</h2>}
          <dl className="facts">
            {grouped.map((field) => (
              <div key={field.name}>
                <dt>{field.label}</dt>
                <dd>{hasOwn(field) ? showField(resource, field, record) : showWhole(field, record[field.name])}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

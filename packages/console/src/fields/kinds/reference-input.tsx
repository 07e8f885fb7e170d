/**
 * Names a record of another resource, found by a search: the first 20 that fit, never all. Where
 * the reference has shared fields, only records with the same values are offered.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { useEffect, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Button } from 'react-aria-components/Button'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import { Select, SelectValue } from 'react-aria-components/Select'
import { client } from '../../api/client.ts'
import { useResource } from '../../api/declarations.ts'
import { pageOf } from '../../api/rows.ts'
import { keepTitle, titleIn } from '../../api/titles.ts'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import { RecordTitle } from '../record-title.tsx'
import { TextInput } from './text-kind.tsx'

const offeredMax = 20
const typingMs = 80

type Asked = { readonly text: string; readonly shared: Readonly<Record<string, unknown>> }

/** The search of the list, else a filter on the title. */
function searchOf({ list, title, fields }: ResourceDescription, text: string): Readonly<Record<string, string>> {
  if (text === '') return {}
  if (list?.search) return { q: text }
  const { operators = [] } = fields.find(({ name }) => name === title) ?? {}
  const operator = ['contains', 'startsWith', 'eq'].find((one) => operators.includes(one))
  return operator ? { [operator === 'eq' ? title : `${title}[${operator}]`]: text } : {}
}

function useOffers(resource: ResourceDescription | undefined, { text, shared }: Asked, isOpen: boolean) {
  return useQuery({
    queryKey: [resource?.slug, 'offers', text, shared],
    enabled: resource?.list !== undefined && isOpen,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const found = resource as ResourceDescription
      const limit = found.list?.style === 'all' ? { limit: offeredMax, page: 1 } : { limit: offeredMax }
      const query = { ...searchOf(found, text), ...shared, ...limit }
      const { body } = await client.send('GET', `/api/v1${found.path}`, { query, signal })
      return pageOf(body)
        .data.slice(0, offeredMax)
        .map((row) => {
          keepTitle(found, row)
          return { id: String(row[found.idField]), title: titleIn(found, row) }
        })
    },
  })
}

/** Fields that both records share and the form has, as filters. */
function sharedOf({ field, values }: ControlProps): Asked['shared'] {
  const names = field.reference?.match ?? []
  const known = names.filter((name) => values[name] !== undefined && values[name] !== null)
  return Object.fromEntries(known.map((name) => [name, values[name]]))
}

function Search({ label, onText }: { readonly label: string; onText(text: string): void }) {
  const [typed, setTyped] = useState('')
  useEffect(() => {
    const waits = setTimeout(() => onText(typed), typingMs)
    return () => clearTimeout(waits)
  }, [typed, onText])
  return (
    <SearchField aria-label={t('searchIn', { plural: label })} value={typed} onChange={setTyped} autoFocus>
      <Input placeholder={t('search')} />
    </SearchField>
  )
}

/** Ids may be numbers. */
function idOf({ schema }: ControlProps['field'], id: string): unknown {
  return schema.type === 'integer' ? Number(id) : id
}

export function ReferenceInput(props: ControlProps) {
  const { field, value, onChange, describedBy, isInvalid, isRequired } = props
  const { data: resource, isError } = useResource(field.reference?.resource ?? '')
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const { data: offers = [], isFetching } = useOffers(resource, { text, shared: sharedOf(props) }, isOpen)
  if (isError || (resource && (!resource.list || resource.path === undefined)))
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
      <Popover className="popover">
        <Autocomplete>
          <Search label={resource?.plural ?? field.label} onText={setText} />
          <ListBox
            items={offers}
            aria-label={field.label}
            renderEmptyState={() => <span className="quiet">{isFetching ? t('loading') : t('none')}</span>}
          >
            {({ id, title }) => (
              <ListBoxItem id={id} textValue={title} className="option">
                {title}
              </ListBoxItem>
            )}
          </ListBox>
        </Autocomplete>
      </Popover>
    </Select>
  )
}

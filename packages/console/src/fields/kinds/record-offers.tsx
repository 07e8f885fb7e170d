/** Records to choose from, found by a search: the first 20 that fit, never all. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { useEffect, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import { client } from '../../api/client.ts'
import { pageOf } from '../../api/rows.ts'
import { keepTitle, titleIn } from '../../api/titles.ts'
import { t } from '../../words/words.ts'

const offeredMax = 20
const typingMs = 80

/** The search of the list, else a filter on the title. */
function searchOf({ list, title, fields }: ResourceDescription, text: string): Readonly<Record<string, string>> {
  if (text === '') return {}
  if (list?.search) return { q: text }
  const { operators = [] } = fields.find(({ name }) => name === title) ?? {}
  const operator = ['contains', 'startsWith', 'eq'].find((one) => operators.includes(one))
  return operator ? { [operator === 'eq' ? title : `${title}[${operator}]`]: text } : {}
}

export type Offers = {
  readonly offers: readonly { readonly id: string; readonly title: string }[]
  readonly isFetching: boolean
  onText(text: string): void
}

type Searched = {
  readonly resource: ResourceDescription | undefined
  /** Values that the offered records have, as filters. */
  readonly shared?: Readonly<Record<string, unknown>>
  readonly isOpen: boolean
}

/** Its state stands above the `Select`, which draws its children twice. */
export function useOffers({ resource, shared = {}, isOpen }: Searched): Offers {
  const [text, onText] = useState('')
  const { data: offers = [], isFetching } = useQuery({
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
  return { offers, isFetching, onText }
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

type RecordOffersProps = { readonly found: Offers; readonly label: string; readonly plural: string }

/** It stands in a `Select`, which says how many are chosen. */
export function RecordOffers({ found: { offers, isFetching, onText }, label, plural }: RecordOffersProps) {
  return (
    <Popover className="popover">
      <Autocomplete>
        <Search label={plural} onText={onText} />
        <ListBox
          items={offers}
          aria-label={label}
          renderEmptyState={() => <span className="quiet">{isFetching ? t('loading') : t('none')}</span>}
        >
          {({ id, title }) => (
            <ListBoxItem id={id} textValue={title} className="option">
              {({ isSelected }) => (
                <>
                  {title}
                  {isSelected && <span aria-hidden="true">✓</span>}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Autocomplete>
    </Popover>
  )
}

/** Whether the caller can search the records. */
export function isOffered(resource: ResourceDescription): boolean {
  return resource.list !== undefined && resource.path !== undefined
}

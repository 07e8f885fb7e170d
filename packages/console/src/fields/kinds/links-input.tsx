/**
 * The links of a record: those that it has, and a search for more. Where the links have an order or
 * values, each stands in a line of its own.
 */
import { useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Label } from 'react-aria-components/Label'
import { Select, SelectValue } from 'react-aria-components/Select'
import { useResource } from '../../api/declarations.ts'
import { linkedIds } from '../../api/requested-fields.ts'
import type { Row } from '../../api/rows.ts'
import { useTitle } from '../../api/titles.ts'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import { jsonKind } from './json-kind.tsx'
import { LinkInputs } from './link-values.tsx'
import { RecordLink } from './record-link.tsx'
import { isOffered, RecordOffers, useOffers } from './record-offers.tsx'

type Link = Row & { readonly id: string | number }
type Field = ControlProps['field']

/** Ids may be numbers. */
function idOf({ schema }: Field, id: string): string | number {
  const items = (schema.items ?? {}) as { readonly type?: unknown; readonly properties?: Row }
  const own = (items.properties?.id ?? items) as { readonly type?: unknown }
  return own.type === 'integer' ? Number(id) : id
}

function linksIn(value: unknown): readonly Link[] {
  const items = Array.isArray(value) ? (value as readonly (Link | Link['id'])[]) : []
  return items.map((item) => (typeof item === 'object' ? item : { id: item }))
}

/** The link of `from` at the place of `to`. */
function moved(links: readonly Link[], from: number, to: number): readonly Link[] {
  return links.toSpliced(from, 1).toSpliced(to, 0, links[from] as Link)
}

type LinkLineProps = {
  readonly field: Field
  readonly links: readonly Link[]
  readonly at: number
  onChange(next: readonly Link[], focus?: string): void
}

/** The name of a button, by which it gets the focus again. */
const buttonOf = (act: 'up' | 'down' | 'remove', id: unknown) => `${act} ${id}`

function LinkLine({ field, links, at, onChange }: LinkLineProps) {
  const link = links[at] as Link
  const id = String(link.id)
  const slug = field.reference?.resource ?? ''
  const label = useTitle(slug, id) ?? id
  const { ordered = false, fields = [] } = field.links ?? {}
  const move = (act: 'up' | 'down', to: number) => (
    <button
      type="button"
      className="plain"
      data-act={buttonOf(act, id)}
      aria-label={t(act === 'up' ? 'moveUp' : 'moveDown', { label })}
      disabled={to < 0 || to >= links.length}
      onClick={() => onChange(moved(links, at, to), buttonOf(act, id))}
    >
      {act === 'up' ? '↑' : '↓'}
    </button>
  )
  return (
    <li>
      <span className="chip">
        <RecordLink slug={slug} id={id} />
        {ordered && move('up', at - 1)}
        {ordered && move('down', at + 1)}
        <button
          type="button"
          className="plain"
          data-act={buttonOf('remove', id)}
          aria-label={t('removeLink', { label })}
          onClick={() => onChange(links.toSpliced(at, 1), buttonOf('remove', (links[at + 1] ?? links[at - 1])?.id))}
        >
          ✕
        </button>
      </span>
      {fields.length > 0 && (
        <fieldset className="link-inputs" aria-label={label}>
          <LinkInputs
            fields={fields}
            link={link}
            onChange={(next) => onChange(links.with(at, { ...next, id: link.id }))}
          />
        </fieldset>
      )}
    </li>
  )
}

/** After a change the focus goes to the button that is named, else to the search. */
function useFocus() {
  const frame = useRef<HTMLDivElement>(null)
  const [next, setNext] = useState<{ readonly act: string }>()
  useEffect(() => {
    if (!next) return
    const buttons = [...(frame.current?.querySelectorAll<HTMLButtonElement>('[data-act]') ?? [])]
    const named = buttons.find((one) => one.dataset.act === next.act && !one.disabled)
    // The first cannot move up: its other buttons are beside.
    const beside = buttons.find((one) => one.dataset.act?.split(' ')[1] === next.act.split(' ')[1] && !one.disabled)
    const found = named ?? beside ?? frame.current?.querySelector<HTMLButtonElement>('.pick')
    found?.focus()
  }, [next])
  return [frame, setNext] as const
}

export function LinksInput(props: ControlProps) {
  const { field, value, onChange, describedBy, isInvalid, isRequired } = props
  const { data: resource, isError } = useResource(field.reference?.resource ?? '')
  const [isOpen, setOpen] = useState(false)
  const found = useOffers({ resource, isOpen })
  const [frame, setFocus] = useFocus()
  const links = linksIn(value)
  const { ordered = false, fields = [] } = field.links ?? {}
  const hasLines = ordered || fields.length > 0

  function change(next: readonly Link[], act?: string): void {
    onChange(fields.length > 0 ? next : next.map(({ id }) => id))
    if (act !== undefined) setFocus({ act })
  }

  function choose(keys: readonly unknown[]): void {
    const chosen = keys.map(String)
    const had = linkedIds(value)
    const kept = links.filter(({ id }) => chosen.includes(String(id)))
    change([...kept, ...chosen.filter((id) => !had.includes(id)).map((id) => ({ id: idOf(field, id) }))])
  }
  if (isError || (resource && !isOffered(resource)))
    return (
      <>
        <label htmlFor={props.id}>{field.label}</label>
        <jsonKind.Input {...props} />
      </>
    )
  return (
    <div ref={frame} className="links-input">
      <Select
        allowsEmptyCollection
        selectionMode="multiple"
        aria-describedby={describedBy}
        isInvalid={isInvalid}
        isRequired={isRequired}
        validationBehavior="aria"
        value={linkedIds(value)}
        onChange={choose}
        isOpen={isOpen}
        onOpenChange={setOpen}
      >
        <Label>{field.label}</Label>
        {links.length > 0 && (
          <ul className={hasLines ? 'links lines-of-links' : 'links'}>
            {links.map(({ id }, at) => (
              <LinkLine key={id} field={field} links={links} at={at} onChange={change} />
            ))}
          </ul>
        )}
        <Button className="pick">
          <SelectValue>{() => t('addLinks')}</SelectValue>
          <span aria-hidden="true">▾</span>
        </Button>
        <RecordOffers found={found} label={field.label} plural={resource?.plural ?? field.label} />
      </Select>
    </div>
  )
}

/** The filters above a list: each is removable, and the address bar has the same words. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { changeListQuery } from '../address/list-query.ts'
import type { ListQuery } from '../address/request-line.ts'
import type { KindField } from '../fields/field-kind.ts'
import { ReferenceInput } from '../fields/kinds/reference-kind.tsx'
import { LineInput } from '../fields/line-input.tsx'
import { RecordTitle } from '../fields/record-title.tsx'
import { lineOf, typedFrom, valueFrom } from '../fields/typed-value.ts'
import { t } from '../words/words.ts'
import { type Condition, conditionsOf, keyFor, meaningOf, treeIn } from './conditions.ts'

const operatorWords = {
  eq: 'isEqual',
  ne: 'isNotEqual',
  gt: 'isGreater',
  gte: 'isAtLeast',
  lt: 'isLess',
  lte: 'isAtMost',
  in: 'isOneOf',
  contains: 'containsText',
  startsWith: 'startsWithText',
  null: 'isEmpty',
  overlaps: 'hasOneOf',
  empty: 'hasNone',
} as const

/** It compares with yes or no. */
const isFlag = (operator: string) => operator === 'null' || operator === 'empty'
const isListed = (operator: string) => operator === 'in' || operator === 'overlaps'

function operatorLabel(operator: string): string {
  return operator in operatorWords ? t(operatorWords[operator as keyof typeof operatorWords]) : operator
}

function valueLabel(field: FieldDescription | undefined, { operator, value }: Pick<Condition, 'operator' | 'value'>) {
  if (isFlag(operator) || field?.type === 'boolean') return t(value === 'true' ? 'yes' : 'no')
  return value
}

function labelOf(resource: ResourceDescription, condition: Condition): string {
  if (condition.key === 'filter') return condition.value
  const meant = meaningOf(resource, condition)
  const { field, operator, value } = meant ?? { field: undefined, ...condition }
  return `${field?.label ?? condition.name} ${operatorLabel(operator)} ${valueLabel(field, { operator, value })}`
}

type ChangeQuery = typeof changeListQuery
type FilterFormProps = {
  readonly resource: ResourceDescription
  readonly first: Condition
  change: ChangeQuery
  onDone(): void
}

/** The kind of input that an operator takes: `contains` takes a text for an id, too. */
function inputFor(field: FieldDescription | undefined, operator: string): KindField {
  if (isFlag(operator)) return { type: 'boolean', schema: {}, nullable: false }
  const isPart = isListed(operator) || operator === 'contains' || operator === 'startsWith'
  if (!field || isPart || lineOf(field)?.input === 'lines') return { type: 'text', schema: {}, nullable: false }
  return { ...field, nullable: false }
}

/** The operators that compare with one record. */
const isOne = (operator: string) => operator === 'eq' || operator === 'ne'
const noValues = {}

/** A record is picked by its title, as in forms. */
function recordFor(field: FieldDescription | undefined, operator: string): FieldDescription | undefined {
  if (!field?.reference || !isOne(operator)) return undefined
  const { reference } = field
  const schema = (field.schema.items ?? field.schema) as FieldDescription['schema']
  return { ...field, label: t('value'), nullable: false, schema, reference: { ...reference, match: [] } }
}

function FilterForm({ resource, first, change, onDone }: FilterFormProps) {
  const fields = resource.fields.filter(({ operators }) => operators.length > 0)
  const [name, setName] = useState(first.name)
  const [operator, setOperator] = useState(first.operator)
  const isTree = name === 'filter'
  const field = fields.find((one) => one.name === name)
  const input = inputFor(field, operator)
  const named = recordFor(field, operator)
  const [typed, setTyped] = useState(isTree ? first.value : typedFrom(input, first.value))
  const [isWrong, setWrong] = useState(false)
  const choice = useRef<HTMLSelectElement>(null)
  useEffect(() => choice.current?.focus(), [])

  function pick(next: string): void {
    const { operators = [] } = fields.find((one) => one.name === next) ?? {}
    setName(next)
    setOperator(operators.includes('contains') ? 'contains' : (operators[0] ?? 'eq'))
    setTyped('')
  }

  function apply(event: FormEvent): void {
    event.preventDefault()
    const given = typed || (input.type === 'boolean' ? 'true' : '')
    const isRight = isTree ? treeIn(given) !== undefined : given !== ''
    setWrong(!isRight)
    if (!isRight) return
    const value = isTree ? given : String(valueFrom(input, given))
    const key = isTree ? 'filter' : keyFor(name, operator)
    change({ ...(first.value && { [first.key]: undefined }), [key]: value })
    onDone()
  }
  return (
    <form className="panel filter-form" aria-label={t('filter')} onSubmit={apply}>
      <select ref={choice} aria-label={t('field')} value={name} onChange={(event) => pick(event.target.value)}>
        {fields.map((one) => (
          <option key={one.name} value={one.name}>
            {one.label}
          </option>
        ))}
        <option value="filter">{t('filterAsJson')}</option>
      </select>
      {isTree ? (
        <textarea
          aria-label={t('filterAsJson')}
          aria-invalid={isWrong}
          rows={3}
          placeholder='{"or":[{"price":{"lt":5}},{"stock":{"eq":0}}]}'
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      ) : (
        <>
          <select aria-label={t('comparison')} value={operator} onChange={(event) => setOperator(event.target.value)}>
            {field?.operators.map((one) => (
              <option key={one} value={one}>
                {operatorLabel(one)}
              </option>
            ))}
          </select>
          {named ? (
            <ReferenceInput
              field={named}
              id="filter-value"
              value={typed || null}
              values={noValues}
              onChange={(id) => setTyped(String(id ?? ''))}
              describedBy={undefined}
              isInvalid={isWrong}
              isRequired={false}
            />
          ) : (
            <LineInput
              field={input}
              label={t('value')}
              typed={typed}
              onType={setTyped}
              isWrong={isWrong}
              mayBeEmpty={input.type !== 'boolean'}
            />
          )}
        </>
      )}
      <button type="submit" className="main">
        {t('apply')}
      </button>
      <button type="button" onClick={onDone}>
        {t('cancel')}
      </button>
      {isListed(operator) && <span className="quiet">{t('valuesWithCommas')}</span>}
    </form>
  )
}

/** A record has its title there. */
function ConditionLabel({
  resource,
  condition,
}: {
  readonly resource: ResourceDescription
  readonly condition: Condition
}) {
  const { field, operator, value } = meaningOf(resource, condition) ?? {}
  if (!field?.reference || !operator || !value || !isOne(operator)) return labelOf(resource, condition)
  return (
    <>
      {field.label} {operatorLabel(operator)} <RecordTitle slug={field.reference.resource} id={value} />
    </>
  )
}

type FilterBarProps = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  /** Changes the address, unless another part has the query. */
  change?: ChangeQuery
}

export function FilterBar({ resource, query, change = changeListQuery }: FilterBarProps) {
  const [open, setOpen] = useState<Condition>()
  const button = useRef<HTMLButtonElement>(null)
  const [first] = resource.fields.filter(({ operators, type }) => operators.length > 0 && type !== 'id')
  const conditions = conditionsOf(query)
  const close = () => {
    setOpen(undefined)
    button.current?.focus()
  }
  const add = () => {
    const operator = first?.operators.includes('contains') ? 'contains' : (first?.operators[0] ?? 'eq')
    setOpen({ key: '', name: first?.name ?? 'filter', operator, value: '' })
  }
  /** A named filter is edited as the comparison that it means. */
  const edit = (one: Condition) => {
    const meant = meaningOf(resource, one)
    setOpen(meant ? { ...one, name: meant.field.name, operator: meant.operator } : one)
  }
  return (
    <div className="filters">
      <button ref={button} type="button" aria-expanded={open !== undefined} onClick={() => (open ? close() : add())}>
        {t('filter')}
      </button>
      {conditions.map((one) => (
        <span key={one.key} className="chip">
          <button type="button" className="plain" onClick={() => edit(one)}>
            <ConditionLabel resource={resource} condition={one} />
          </button>
          <button
            type="button"
            className="plain"
            aria-label={t('removeFilter', { label: labelOf(resource, one) })}
            onClick={() => {
              change({ [one.key]: undefined })
              button.current?.focus()
            }}
          >
            ✕
          </button>
        </span>
      ))}
      {conditions.length > 1 && (
        <button
          type="button"
          className="plain"
          onClick={() => change(Object.fromEntries(conditions.map(({ key }) => [key, undefined])))}
        >
          {t('removeAll')}
        </button>
      )}
      {open && <FilterForm key={open.key} resource={resource} first={open} change={change} onDone={close} />}
    </div>
  )
}

/** An amount of the one currency of the service. */
import { locale } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { NumberInput, numberKind } from './number-kind.tsx'

const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string): Intl.NumberFormat {
  const made =
    formats.get(currency) ??
    new Intl.NumberFormat(locale, currency === '' ? twoDecimals : { ...twoDecimals, style: 'currency', currency })
  formats.set(currency, made)
  return made
}

function MoneyInput(props: ControlProps) {
  const { currency } = props.field
  return (
    <div className="beside">
      <NumberInput {...props} />
      {currency !== undefined && <span className="quiet small">{currency}</span>}
    </div>
  )
}

export const moneyKind: FieldKind<number> = {
  ...numberKind,
  Input: MoneyInput,
  cell: (value, { currency = '' }) => formatOf(currency).format(value),
}

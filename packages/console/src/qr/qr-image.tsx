/** A QR code as shapes of the page: the policy of the console needs no source of images for it. */
import { qrCodeOf } from './qr-code.ts'

/** Scanners need four light modules around the code. */
const margin = 4

export function QrImage({ text, label }: { readonly text: string; readonly label: string }) {
  const code = qrCodeOf(text)
  const size = code.length + 2 * margin
  const shapes = code.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + margin} ${y + margin}h1v1h-1z`] : [])),
  )
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={shapes.join('')} />
    </svg>
  )
}

/** Which rows are selected: by Space, by Shift ranges, by their checkboxes. */
export type Selected = ReadonlySet<string>

export function toggled(selected: Selected, id: string): Selected {
  const next = new Set(selected)
  if (!next.delete(id)) next.add(id)
  return next
}

/** The rows between two, both included, besides those that were selected before the range began. */
export function withRange(before: Selected, ids: readonly string[], range: readonly [number, number]): Selected {
  const [low, high] = [Math.min(...range), Math.max(...range)]
  return new Set([...before, ...ids.slice(low, high + 1)])
}

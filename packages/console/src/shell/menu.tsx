/** The menu of resources, made of the declarations. */
import type { ResourceSummary } from 'bindery-server/client'
import { Fragment, type ReactNode, useEffect } from 'react'
import { followIn, hrefOf } from '../address/router.ts'
import { modulesOf } from '../api/console-facts.ts'
import { useOperates } from '../api/declarations.ts'
import { operatePages } from '../operate/operate-pages.ts'
import { t } from '../words/words.ts'

type LinkProps = { readonly parts: readonly string[]; readonly label: ReactNode; readonly isHere: boolean }

export function PlaceLink({ parts, label, isHere }: LinkProps) {
  const href = hrefOf(parts)
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined} onClick={followIn(href)}>
      {label}
    </a>
  )
}

export function listed(resources: readonly ResourceSummary[]): readonly ResourceSummary[] {
  return resources.filter(({ path, operations }) => path !== undefined && operations.includes('list'))
}

const menuId = 'menu'

/** Where the page is narrow the menu is folded away; style sheets hide the button elsewhere. */
export function MenuButton({ isOpen, onPress }: { readonly isOpen: boolean; onPress(): void }) {
  return (
    <button type="button" className="menu-button" aria-expanded={isOpen} aria-controls={menuId} onClick={onPress}>
      {t('menu')}
    </button>
  )
}

type MenuProps = {
  readonly resources: readonly ResourceSummary[]
  readonly here: readonly string[]
  /** Unfolded, where the page is narrow. */
  readonly isOpen: boolean
  onClose(): void
}

export function Menu({ resources, here, isOpen, onClose }: MenuProps) {
  const place = here.join('/')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page folds it
  useEffect(onClose, [place])
  const own = listed(resources).filter(({ engine, unlisted }) => !engine && !unlisted)
  const named = new Set(own.flatMap(({ menu }) => menu?.label ?? []))
  const headings = [...(own.some(({ menu }) => !menu) ? [undefined] : []), ...named]
  const ownPages = modulesOf('pages/')
  const pages = useOperates() ? operatePages : []
  const tables = listed(resources).filter(({ engine, unlisted }) => engine && !unlisted)
  return (
    <nav id={menuId} className={isOpen ? 'menu open' : 'menu'} aria-label={t('menu')}>
      {headings.map((heading) => (
        <Fragment key={heading ?? ''}>
          <h2>{heading ?? t('resources')}</h2>
          <ul>
            {own
              .filter(({ menu }) => menu?.label === heading)
              .map(({ slug, plural }) => (
                <li key={slug}>
                  <PlaceLink parts={[slug]} label={plural} isHere={here[0] === slug} />
                </li>
              ))}
          </ul>
        </Fragment>
      ))}
      {ownPages.length > 0 && (
        <>
          <h2>{t('ownPages')}</h2>
          <ul>
            {ownPages.map(({ name, label }) => (
              <li key={name}>
                <PlaceLink
                  parts={['_own', name.slice('pages/'.length)]}
                  label={label}
                  isHere={`pages/${here[1]}` === name}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {pages.length + tables.length > 0 && <h2>{t('operate')}</h2>}
      <ul>
        {pages.map(({ name }) => (
          <li key={name}>
            <PlaceLink parts={['_operate', name]} label={t(name)} isHere={here[0] === '_operate' && here[1] === name} />
          </li>
        ))}
        {tables.map(({ slug, plural }) => (
          <li key={slug}>
            <PlaceLink parts={[slug]} label={plural} isHere={here[0] === slug} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Icons, 16 by 16 units, in the colour of the text. Screen readers ignore them: a text is beside each, or names the button. */
const SHAPES = {
  add: 'M8 3v10M3 8h10',
  archive: 'M2 3h12v3H2zM3 6v7h10V6M6.5 9h3',
  back: 'M10 3 5 8l5 5',
  bell: 'M3 12h10l-1.5-2V7a3.5 3.5 0 0 0-7 0v3zM6.5 14h3',
  board: 'M2 3h3.5v10H2zM6.25 3h3.5v6h-3.5zM10.5 3H14v8h-3.5z',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3.5M10.5 2v3.5',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  clip: 'm13.5 7.5-5.6 5.6a3.2 3.2 0 0 1-4.5-4.5L9.2 2.8a2.1 2.1 0 0 1 3 3l-5.7 5.7a1 1 0 0 1-1.5-1.5l5-5',
  close: 'm4 4 8 8M12 4l-8 8',
  comment: 'M2 3h12v8H7l-3 3v-3H2z',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'm3 6 5 5 5-5',
  edit: 'M3 13l.6-2.8L10.8 3 13 5.2 5.8 12.4zM9.5 4.3l2.2 2.2',
  flag: 'M4 14V2.5h8.5l-2 3 2 3H4',
  flow: 'M2 13V3M2 13h12M4 11l3-4 3 2 4-5',
  forward: 'm6 3 5 5-5 5',
  help: 'M6 6a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.4M8 11.8v.2',
  history: 'M3 3v3h3M3.2 6A5.2 5.2 0 1 1 3 9M8 5v3.5l2.2 1.3',
  idea: 'M6 11.5c0-1.5-2-2.2-2-4.7a4 4 0 0 1 8 0c0 2.5-2 3.2-2 4.7zM6.5 14h3',
  import: 'M8 2v8M5 7l3 3 3-3M3 13h10',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3 8a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M7.5 8a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M12 8a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0',
  move: 'M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6 2 8l2 2M12 6l2 2-2 2',
  person: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.75 14a5.25 5.25 0 0 1 10.5 0',
  project: 'M2 4h4l1.5 1.5H14V13H2z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14',
  subtasks: 'M2.5 4l1 1L5.5 3M2.5 10l1 1 2-2M8 4.5h6M8 10.5h6',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13.5h6l.5-9M7 7v4M9 7v4',
  up: 'm3 10 5-5 5 5',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2',
  stop: 'M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM4.5 8h7',
  priority: 'M3 13V9.5M6.3 13V7M9.7 13V4.5M13 13V2',
  low: 'm4 9 4 4 4-4M8 13V3',
  medium: 'M3 6h10M3 10h10',
  high: 'm4 7 4-4 4 4M8 3v10',
  critical: 'm4 7.5 4-4 4 4M4 12.5l4-4 4 4',
  text: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  collapse: 'M2.5 3v10M13 8H5.5M8.5 5l-3 3 3 3',
  expand: 'M13.5 3v10M3 8h7.5M7.5 5l3 3-3 3',
  filter: 'M2 3.5h12l-4.5 5V13l-3-1.5v-3z',
  sun: 'M8 5.25a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  wait: 'M8 4.5V8l2.5 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
} as const

export type IconName = keyof typeof SHAPES

/** All names, in the order of the style guide. */
export const ICON_NAMES = /* @__PURE__ */ Object.keys(SHAPES) as IconName[]

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={SHAPES[name]} />
  </svg>
)

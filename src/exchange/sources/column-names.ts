/** The fields of a table of tasks, the names of columns for them, and the headers of tools. Also for the page, which guesses the fields of a table. */

/** The comparison key of a column name: only letters and digits, in lower case. */
export const nameKey = (name: string): string =>
  name
    .normalize()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

const named = (names: string) => names.split(' ')

const ALL = {
  id: named('id key taskid cardid itemid issueid issuekey nr nummer identifiant identificador clave clé'),
  number: named('number taskcustomid issuenumber vorgangsnummer aufgabennummer'),
  title: named(
    'title name summary task taskname cardname cardtitle subject titel aufgabe zusammenfassung aufgabenname vorgang titre nom tâche nomdelatâche résumé sujet título titulo nombre tarea nombredelatarea resumen asunto',
  ),
  description: named(
    'description desc body details notes carddescription beschreibung notizen détails descripción descripcion detalles notas',
  ),
  column: named(
    'column list status state stage columnname listname sectioncolumn section bucketname bucket spalte liste stand statut état étape colonne sectioncolonne estado etapa columna lista sección',
  ),
  priority: named('priority prio prioritat priorität priorité prioridad'),
  assignee: named(
    'assigneeid assignee assignees assignedto assign owner responsible members zugewiesen zugewiesenan zuständig zuständige zuständiger zuständigkeit bearbeiter verantwortlich verantwortliche verantwortlicher assignéà attribuéà affectéà responsable responsables personneassignée membres assignataire asignadoa asignado asignada personaasignada encargado miembros',
  ),
  // Where the assignee is an id.
  name: [],
  email: named(
    'assigneeemail assigneesemail owneremail responsibleemail emaildesbearbeiters emaildurresponsable correodelresponsable',
  ),
  due: named(
    'duedate due deadline dueon dueat fällig fälligam fälligkeit fälligkeitsdatum frist termin enddatum échéance datedéchéance datelimite pourle vencimiento fechadevencimiento fechalímite fechalimite fechadeentrega vence',
  ),
  labels: named(
    'labels label tags tag schlagwörter schlagwort etiketten etikett étiquettes étiquette libellés motsclés etiquetas etiqueta',
  ),
  subtasks: named(
    'subtasks checklist checklists checklistitems todos teilaufgaben unteraufgaben checkliste prüfliste soustâches listedecontrôle subtareas listadecomprobación listadeverificación',
  ),
  comments: named('comments comment kommentare kommentar commentaires commentaire comentarios comentario'),
  created: named(
    'createdat created createddate creationdate datecreated createdon erstellt erstelltam erstellungsdatum crééle datedecréation creado creadoel fechadecreación',
  ),
  updated: named(
    'updatedat updated lastupdated modified lastmodified dateupdated lastactivitydate geändert geändertam aktualisiert zuletztgeändert modifiéle datedemodification modificado actualizado fechademodificación',
  ),
  done: named(
    'completed completedat completedon completeddate datecompleted iscompleted done isdone finished erledigt erledigtam abgeschlossen abgeschlossenam terminé terminéle achevé fait completado completada hecho terminado finalizado',
  ),
  dismissed: named('dismissed archived isarchived closed archiviert archivé archivée archivado archivada'),
  parent: named(
    'parent parenttask parentid parentissue übergeordnet übergeordneteaufgabe hauptaufgabe tâcheparente parente tareaprincipal tareapadre',
  ),
  blockedBy: named(
    'blockedby dependson dependencies wartetauf blockiertvon abhängigvon bloquépar dépendde bloqueadopor dependede',
  ),
  blocks: named('blocks blocking blockiert bloque bloquea'),
  relates: named('relatedto relates related verwandt verwandtmit liéà relacionadocon'),
  duplicates: named('duplicateof duplicates duplikatvon doublonde duplicadode'),
  attachments: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** A field of a row. */
export type Field = keyof typeof ALL

/** Usual names of columns for each field in English, German, French and Spanish, the best first, as {@link nameKey} has them. */
export const NAMES: Readonly<Record<Field, readonly string[]>> = ALL

/** Every field. */
export const FIELDS = Object.keys(NAMES) as Field[]

/** What a column without a field is mapped to: its cells stay in the metadata. */
export const NO_FIELD = 'metadata'

/** Whether a word names a field, or none. */
export const isField = (word: string): boolean => word === NO_FIELD || Object.hasOwn(NAMES, word)

/** What a file looks like: its format here, and what to call it. */
export interface Recognised {
  format: string
  what: string
}

/** The 32 hexadecimal digits of a page, which Notion adds to the names of its files. */
export const NOTION_NAME = /[0-9a-f]{32}(?:_all)?\.csv(?:\.gz)?$/i

/** Whether a header has all of some names. */
export const has = (header: ReadonlySet<string>, ...names: string[]) =>
  names.every((name) => header.has(name))

/** Headers of tables, by the columns that no other tool has together. */
const TABLES: readonly (Recognised & { is: (names: ReadonlySet<string>, delimiter: string) => boolean })[] = [
  {
    format: 'jira',
    what: "Jira's CSV export",
    is: (names) => has(names, 'summary') && (names.has('issuekey') || has(names, 'key', 'issuetype')),
  },
  {
    format: 'kanboard',
    what: "Kanboard's CSV export",
    // Older versions have no `Creator Name` or `Tags`.
    is: (names) => has(names, 'taskid', 'swimlane', 'column', 'title'),
  },
  {
    format: 'asana',
    what: "Asana's CSV export",
    is: (names) => has(names, 'taskid', 'completedat', 'lastmodified', 'name'),
  },
  {
    format: 'planner',
    what: 'a plan of Microsoft Planner',
    is: (names) =>
      has(names, 'taskname', 'bucketname', 'progress') ||
      has(names, 'taskname', 'bucket', 'completedchecklistitems'),
  },
  {
    format: 'clickup',
    what: "ClickUp's CSV export",
    // The whole workspace, or a view.
    is: (names) =>
      has(names, 'taskid', 'taskname', 'taskcontent') ||
      has(names, 'taskid', 'taskname', 'status', 'datecreated'),
  },
  {
    format: 'linear',
    what: "Linear's CSV export",
    is: (names) => has(names, 'id', 'team', 'title', 'status', 'estimate'),
  },
  {
    format: 'todoist',
    what: "Todoist's CSV export",
    is: (names) => has(names, 'type', 'content', 'priority', 'indent'),
  },
  {
    format: 'ticktick',
    what: "TickTick's backup",
    is: (names) => has(names, 'foldername', 'listname', 'title', 'ischecklist'),
  },
  {
    format: 'github',
    what: 'a view of a GitHub project',
    is: (names, delimiter) => delimiter === '\t' && has(names, 'title', 'url'),
  },
]

/** The tool of a table with this header; undefined for an unknown one. */
export function toolOfHeader(header: readonly string[], delimiter: string): Recognised | undefined {
  const names = new Set(header.map(nameKey))
  return TABLES.find(({ is }) => is(names, delimiter))
}

/** Most lines above a header. */
const MOST_ABOVE = 12

/** Tools whose tables may have other lines above the header: the plan's name, the address of the project in a sheet. */
const WITH_LINES_ABOVE = new Set(['asana', 'planner'])

/**
 * The number of characters above the header of such a table; 0 for any other text.
 * @param text the beginning of a table
 */
export function lengthAboveHeader(text: string): number {
  let length = 0
  for (const [index, line] of text.split('\n', MOST_ABOVE + 1).entries()) {
    for (const delimiter of [',', ';', '\t']) {
      const names = line.split(delimiter).map((name) => name.replaceAll('"', ''))
      const found = names.length > 3 ? toolOfHeader(names, delimiter) : undefined
      if (found) return WITH_LINES_ABOVE.has(found.format) ? length : 0
    }
    if (index === MOST_ABOVE) break
    length += line.length + 1
  }
  return 0
}

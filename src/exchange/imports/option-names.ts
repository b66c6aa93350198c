/** What the options of an import are called where it is asked for: messages that name one are for whoever gave the others. */

/** The names of the options. */
export interface OptionNames {
  again: string
  mapMembers: string
}

const OF_THE_COMMAND: OptionNames = { again: '--again', mapMembers: '--map-members' }

const OF_A_REQUEST: OptionNames = { again: 'again=true', mapMembers: 'mapMembers=true' }

/** The names for whoever asks. @param memberId the member; null for the command line */
export const optionNamesFor = (memberId: string | null): OptionNames =>
  memberId === null ? OF_THE_COMMAND : OF_A_REQUEST

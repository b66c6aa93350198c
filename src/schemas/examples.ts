/**
 * An example body for each operation with a body, by operation id: the page at /docs shows it instead of values generated
 * from types. Each is valid once its ids exist.
 */

/** A placeholder for an id. */
export const EXAMPLE_ID = '019f0000-0000-7000-8000-000000000000'

/** A batch that creates a project and its first card: its ids need not exist. */
const batch = {
  requests: [
    { method: 'POST', path: '/api/projects', body: { name: 'Summer party' }, as: 'party' },
    {
      method: 'POST',
      path: '/api/projects/{{party.id}}/kanban-items',
      body: { title: 'Send the invitations', metadata: { of: '{{party.name}}' } },
    },
  ],
  dryRun: true,
}

const places = [{ id: EXAMPLE_ID, sortOrder: 1 }]

export const BODY_EXAMPLES: Readonly<Record<string, object>> = {
  mcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  signIn: { email: 'admin@localhost', password: 'correct horse battery staple' },
  createToken: { name: 'Nightly report', scope: 'read', expiresAt: '2030-01-31' },
  updatePreferences: { email: 'daily', timeZone: 'Europe/Berlin' },
  createTeam: { name: 'Web', description: 'Everything that has an address', memberIds: ['ada', 'bob'] },
  createAttachment: { url: 'https://example.org/plan', name: 'The plan' },
  updateAttachment: { name: 'plan.pdf' },
  updateTeam: { memberIds: ['ada', 'bob', 'cleo'] },
  createMember: {
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    role: 'member',
    password: 'correct horse battery staple',
  },
  createInvitation: { name: 'Grace Hopper', email: 'grace@example.org', role: 'member' },
  checkLink: { token: 'pbl_YW4gZXhhbXBsZSB0byBsb29rIGF0LCBubyByZWFsIG9u' },
  useLink: {
    token: 'pbl_YW4gZXhhbXBsZSB0byB1c2UsIGFuZCBubyByZWFsIG9u',
    name: 'Noor',
    email: 'noor@example.org',
    password: 'correct horse battery staple',
  },
  updateMember: { name: 'Ada King', role: 'viewer' },
  createShareLink: { name: 'For the client', expiresAt: '2030-01-31' },
  createProject: {
    name: 'Website relaunch',
    description: 'A new home page before the trade fair.',
    type: 'business',
    status: 'active',
    nextStep: 'Ask three agencies for offers',
    metadata: { budget: 12000 },
  },
  updateProject: { status: 'active', health: 'at-risk', nextStep: 'Find a date for the photographer' },
  reorderProjects: { items: places },
  createKanbanColumn: { name: 'Waiting', color: '#f59e0b', wipLimit: 5 },
  updateKanbanColumn: { wipLimit: 3, wipPolicy: 'block', stage: 'doing' },
  reorderKanbanColumns: { items: places },
  createKanbanItem: {
    title: 'Rewrite the product pages',
    description: 'Bread, rolls and cakes.',
    priority: 'high',
    assigneeId: 'ada',
    dueDate: '2027-03-01',
  },
  updateKanbanItem: { column: 'In Progress', assigneeId: 'ada' },
  updateKanbanItems: { ids: [EXAMPLE_ID], update: { priority: 'high', dueDate: '2027-03-01' } },
  reorderKanbanItems: { items: [{ id: EXAMPLE_ID, column: 'Review', sortOrder: 1 }] },
  deleteKanbanItems: { ids: [EXAMPLE_ID] },
  moveKanbanItem: { column: 'Review', position: 'top' },
  claimKanbanItem: { from: 'To Do', to: 'In Progress', priority: 'medium', leaseSeconds: 900 },
  renewKanbanClaim: { leaseSeconds: 900 },
  createKanbanSubtask: { title: 'Ask the photographer for the raw files' },
  updateKanbanSubtask: { completed: true },
  reorderKanbanSubtasks: { items: places },
  createKanbanComment: { content: 'The texts are ready, the pictures are not.' },
  updateKanbanComment: { content: 'Texts and pictures are ready.' },
  createKanbanLabel: { name: 'Content', color: '#3b82f6' },
  updateKanbanLabel: { color: '#ef4444' },
  createObjective: { title: 'Twice as many orders over the web', status: 'in-progress' },
  updateNotification: { read: true },
  readNotifications: { upTo: '019f0000-0000-7000-8000-000000000000' },
  updateObjective: { status: 'completed' },
  createMetric: { name: 'Orders a week', value: 42, unit: 'orders', category: 'sales' },
  updateMetric: { value: 47 },
  createTranscriptSummary: {
    title: 'Kick-off',
    date: '2027-01-11T09:30:00+01:00',
    summary: 'We agreed on goals and budget.',
    participants: ['Ada', 'Bob'],
    actionItems: ['Send the minutes', { what: 'Book a room', who: 'Ada' }],
  },
  updateTranscriptSummary: { summary: 'We agreed on goals, budget and dates.' },
  mergePerson: { into: 'ada' },
  createTeamAssignment: { memberId: 'ada', role: 'member' },
  updateTeamAssignment: { role: 'lead' },
  replaceTeamAssignments: {
    members: [{ memberId: 'ada', role: 'lead' }, { memberId: 'bob' }],
    leadId: 'ada',
  },
  ingestTranscript: {
    projectId: EXAMPLE_ID,
    title: 'Weekly',
    date: '2027-01-18',
    participants: ['Ada', 'Bob'],
    actionItems: ['Call the caterer', 'Print the flyers'],
  },
  ingestMetrics: {
    projectId: EXAMPLE_ID,
    metrics: [
      { name: 'Orders a week', value: 51, unit: 'orders' },
      { name: 'Visitors a week', value: 1890 },
    ],
  },
  createWebhook: {
    url: 'https://example.org/hooks/phaseboard',
    description: 'Tells the chat of what is done',
    kinds: ['kanban-item', 'kanban-comment'],
  },
  updateWebhook: { kinds: ['kanban-item'], active: false },
  replayWebhook: { after: 0 },
  createPersonalIdea: { title: 'A podcast about our customers', priority: 'low' },
  updatePersonalIdea: { status: 'ready' },
  reorderPersonalIdeas: { items: places },
  promotePersonalIdea: { teamId: 'web' },
  runBatch: batch,
}

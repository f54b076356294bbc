/** A method of `schemas/proto` and its message, with the field names of the file. */
export interface GrpcCall {
  readonly method: string;
  readonly message: Readonly<Record<string, unknown>>;
}

type Message = GrpcCall['message'];

const of =
  (service: string) =>
  (name: string, message: Message = {}): GrpcCall => ({ method: `palyra.${service}/${name}`, message });

const gateway = of('gateway.v1.GatewayService');
const skills = of('skills.v1.SkillsService');
const plugins = of('plugins.v1.PluginsService');
const tools = of('plugins.v1.ToolsService');
const hooks = of('hooks.v1.HooksService');
const routines = of('routines.v1.RoutinesService');

/** Actions of the console that have a method of gRPC. */
export const grpc = {
  invoke: (tool: string, input_json: string) => gateway('Invoke', { tool, input_json }),
  approve: (approval_id: string, scope: string, arguments_sha256: string) =>
    gateway('DecideApproval', { approval_id, approve: true, scope: `APPROVAL_SCOPE_${scope.toUpperCase()}`, owner_present: true, arguments_sha256 }),
  skill: (skill_id: string) => skills('GetSkill', { skill_id }),
  skills: () => skills('ListSkills'),
  consent: (skill_id: string, digest: string, secrets: readonly string[]) => skills('ConsentToSkill', { skill_id, digest, secrets }),
  quarantine: (skill_id: string, reason: string) => skills('QuarantineSkill', { skill_id, reason }),
  disable: (skill_id: string) => skills('DisableSkill', { skill_id }),
  enable: (skill_id: string, accept: readonly string[] = []) => skills('EnableSkill', { skill_id, accept }),
  verify: (skill_id: string) => skills('VerifySkill', { skill_id }),
  rollBack: (skill_id: string, version: string) => skills('RollBackSkill', { skill_id, version }),
  removeSkill: (skill_id: string, keep_data: boolean) => skills('RemoveSkill', { skill_id, keep_data }),
  grants: (skill_id: string) => plugins('GetGrants', { skill_id }),
  setProfile: (skill_id: string, only: boolean, grants: readonly string[]) => plugins('SetProfile', { skill_id, only, grants }),
  removeProfile: (skill_id: string) => plugins('RemoveProfile', { skill_id }),
  tools: () => tools('ListTools'),
  hooks: () => hooks('ListHooks'),
  routines: () => routines('ListRoutines'),
} as const;

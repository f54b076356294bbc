import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, FlaskConical, Hand, Wrench } from 'lucide-react';
import { queries } from '@/api/queries';
import { bytes, compact, count, micros, visible } from '@/lib/format';
import { Json } from '@/ui/json';
import { Badge } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';

export function Tools({ skillId }: { skillId: string }) {
  const list = useQuery(queries.tools());
  const tools = list.data?.tools.filter(({ skill_id }) => skill_id === skillId) ?? [];
  const details = useQueries({ queries: tools.map(({ tool_id }) => queries.tool(tool_id)) });
  return (
    <QueryView query={list}>
      {() =>
        tools.length === 0 ? (
          <Blank icon={Wrench} title="No tools" text="The skill has hooks only, or its release cannot be called." />
        ) : (
          <div className="grid gap-3.5">
            {tools.map((tool, i) => {
              const detail = details[i]?.data;
              return (
                <section key={tool.tool_id} className="panel" aria-label={tool.tool_id}>
                  <div className="flex flex-wrap items-start gap-3 p-4">
                    <div className="min-w-0 flex-1 basis-60">
                      <div className="flex flex-wrap items-baseline gap-x-2.5">
                        <h2>{visible(tool.name)}</h2>
                        <span className="fact text-subtle">{tool.tool_id}</span>
                      </div>
                      <p className="mt-1 text-muted">{visible(tool.description)}</p>
                      <div className="mt-2 flex flex-wrap gap-1.5 empty:hidden">
                        {tool.requires_approval && <Badge look={{ tone: 'wait', icon: Hand, word: 'Requires approval' }} />}
                        {tool.aliases?.map((alias) => (
                          <span key={alias} className="tag">
                            {alias}
                          </span>
                        ))}
                      </div>
                    </div>
                    <Link to="/playground/$tool" params={{ tool: tool.tool_id }} className="btn" data-small>
                      <FlaskConical size={14} aria-hidden />
                      Try
                    </Link>
                  </div>
                  {detail && (
                    <>
                      <dl className="panel-foot flex flex-wrap gap-x-8 gap-y-2">
                        <Figure name="calls" value={count(detail.cost.completed + detail.cost.failed)} />
                        {detail.cost.median_elapsed_us != null && <Figure name="median" value={micros(detail.cost.median_elapsed_us)} />}
                        {detail.cost.most_fuel != null && <Figure name="most fuel" value={compact(detail.cost.most_fuel)} />}
                        {detail.cost.most_memory_bytes != null && <Figure name="most memory" value={bytes(detail.cost.most_memory_bytes)} />}
                      </dl>
                      <details className="group border-t">
                        <summary className="flex cursor-pointer items-center gap-2 px-4 py-2.5 text-muted">
                          <ChevronRight size={14} aria-hidden className="transition-transform group-open:rotate-90" />
                          Input schema shown to models
                        </summary>
                        <div className="px-4 pb-4">
                          <Json value={detail.input_schema} label="Input schema" />
                        </div>
                      </details>
                    </>
                  )}
                </section>
              );
            })}
          </div>
        )
      }
    </QueryView>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-subtle">{name}</dt>
      <dd className="num font-medium text-text">{value}</dd>
    </div>
  );
}

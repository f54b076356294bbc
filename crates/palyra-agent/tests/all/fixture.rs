//! A run, its tools, and an owner that keeps everything in memory.

use palyra_agent::{
    Call, CallOutcome, Effect, Input, Plan, RunState, ToolAccess, ToolCard, Verdict, World, step,
};
use palyra_api::sessions::{AgentRunStatus, SessionEventBody, SessionLabels};
use palyra_models::{ModelAnswer, StopReason, ToolCall, Usage};
use serde_json::{Value, json};

pub(crate) struct Owner {
    pub(crate) run: RunState,
    pub(crate) tools: Vec<ToolCard>,
    pub(crate) now_ms: u64,
    pub(crate) events: Vec<SessionEventBody>,
    pub(crate) plan: Option<Plan>,
}

pub(crate) fn tool(name: &str, access: ToolAccess) -> ToolCard {
    ToolCard {
        tool_id: format!("acme.{name}"),
        model_name: format!("acme__{name}"),
        title: name.to_owned(),
        description: format!("Does {name}."),
        input_schema: json!({ "type": "object", "properties": { "n": { "type": "integer" } } }),
        output_schema: json!({ "type": "object" }),
        examples: Vec::new(),
        skill_id: "acme.skill".into(),
        access,
    }
}

impl Owner {
    /// Creates an owner with the tools `acme.read`, `acme.look` and `acme.write`, and a model or the router.
    pub(crate) fn new(model: Option<&str>) -> Self {
        let mut run = RunState::new("agr_1".into(), "ses_1".into(), "do it".into(), 1_000);
        run.model = model.map(str::to_owned);
        let writes = ToolAccess { writes: true };
        let reads = ToolAccess::default();
        let tools = vec![tool("look", reads), tool("read", reads), tool("write", writes)];
        Self { run, tools, now_ms: 1_000, events: Vec::new(), plan: None }
    }

    /// Performs one step and asserts that the run survives serialization.
    pub(crate) fn give(&mut self, input: Input) -> Vec<Effect> {
        let plan = step(&self.run, input, World { now_ms: self.now_ms, tools: &self.tools });
        let written = serde_json::to_vec(&plan.run).unwrap();
        self.run = serde_json::from_slice(&written).unwrap();
        assert_eq!(self.run, plan.run);
        self.events.extend(plan.events.clone());
        let effects = plan.effects.clone();
        self.plan = Some(plan);
        effects
    }

    pub(crate) fn begin(&mut self) -> Vec<Effect> {
        self.give(Input::Begin)
    }

    pub(crate) fn calls(&mut self, calls: &[(&str, Value)]) -> Vec<Effect> {
        let tool_calls = calls.iter().enumerate().map(|(number, (name, arguments))| ToolCall {
            id: format!("{}-{number}", self.run.next_number),
            name: (*name).to_owned(),
            arguments: arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned),
        });
        let answer = ModelAnswer {
            tool_calls: tool_calls.collect(),
            stop: Some(StopReason::ToolCalls),
            usage: Some(Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() }),
            ..ModelAnswer::default()
        };
        self.give(Input::Answered(Box::new(answer)))
    }

    pub(crate) fn text(&mut self, text: &str) -> Vec<Effect> {
        let answer =
            ModelAnswer { text: text.into(), stop: Some(StopReason::EndTurn), ..ModelAnswer::default() };
        self.give(Input::Answered(Box::new(answer)))
    }

    pub(crate) fn completed(&mut self, call_id: &str, labels: SessionLabels) -> Vec<Effect> {
        let outcome = CallOutcome::Completed {
            tool_run_id: format!("run_{call_id}"),
            output: format!("{{\"of\":\"{call_id}\"}}"),
            document: None,
            replaces: None,
            labels,
        };
        self.give(Input::CallEnded { call_id: call_id.to_owned(), outcome })
    }

    pub(crate) fn decide(&mut self, verdict: Verdict) -> Vec<Effect> {
        let pause_id = self.run.pause.as_ref().unwrap().pause_id.clone();
        self.give(Input::Decided { pause_id, verdict, by: Some("owner".into()) })
    }

    pub(crate) fn ended(&self) -> (AgentRunStatus, &str) {
        (self.run.status, self.run.reason.as_deref().unwrap_or_default())
    }

    pub(crate) fn call(&self, number: usize) -> &Call {
        &self.run.calls[number]
    }
}

/// Returns the ids of the calls that begin.
pub(crate) fn begun(effects: &[Effect]) -> Vec<String> {
    let ids = effects.iter().filter_map(|effect| match effect {
        Effect::Call { call_id } => Some(call_id.clone()),
        _ => None,
    });
    ids.collect()
}

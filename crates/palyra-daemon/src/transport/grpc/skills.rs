//! Installed skills and their lifecycle.

use palyra_api::Problem;
use palyra_api::client::channel_body;
use palyra_api::grpc::skills::v1::install_skill_request::Part;
use palyra_api::grpc::skills::v1::{InstallOptions, InstallSkillRequest};
use palyra_api::skills::InstallQuery;
use palyra_common::ErrorCode;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming};

use super::answer::{Answer, enter, refused, to_message};
use super::asked::out_of_order;
use super::service::service;

/// Maximum number of pieces of a package that wait to be written.
const WAITING_PARTS: usize = 4;
/// Maximum bytes of one piece.
const PIECE_BYTES: usize = 64 << 10;

service! {
    Skills: SkillsService, SkillsServiceServer in skills::v1::skills_service_server;
    calls {
        get_skill(GetSkillRequest) -> GetSkillResponse { skill } = GET "/v1/skills/{skill_id}";
        verify_skill(VerifySkillRequest) -> VerifySkillResponse { verified } = POST "/v1/skills/{skill_id}/verify";
        audit_skill(AuditSkillRequest) -> AuditSkillResponse = POST "/v1/skills/{skill_id}/audit";
        audit_all_skills(AuditAllSkillsRequest) -> AuditAllSkillsResponse = POST "/v1/skills/audit";
        quarantine_skill(QuarantineSkillRequest) -> QuarantineSkillResponse { changed } = POST "/v1/skills/{skill_id}/quarantine";
        disable_skill(DisableSkillRequest) -> DisableSkillResponse { changed } = POST "/v1/skills/{skill_id}/disable";
        enable_skill(EnableSkillRequest) -> EnableSkillResponse { outcome } = POST "/v1/skills/{skill_id}/enable";
        get_consent(GetConsentRequest) -> GetConsentResponse { asked } = GET "/v1/skills/{skill_id}/consent";
        consent_to_skill(ConsentToSkillRequest) -> ConsentToSkillResponse { outcome } = POST "/v1/skills/{skill_id}/consent";
        roll_back_skill(RollBackSkillRequest) -> RollBackSkillResponse { outcome } = POST "/v1/skills/{skill_id}/rollback";
        remove_skill(RemoveSkillRequest) -> RemoveSkillResponse { removed } = DELETE "/v1/skills/{skill_id}";
    }
    streams {}
    others {
        async fn list_skills(&self, request: Request<ListSkillsRequest>) -> Answer<ListSkillsResponse> {
            let (client, _) = enter(request)?;
            to_message(client.skills().await).map(Response::new)
        }

        async fn install_skill(
            &self,
            request: Request<Streaming<InstallSkillRequest>>,
        ) -> Answer<InstallSkillResponse> {
            let (client, mut parts) = enter(request)?;
            let late =
                |_| refused(&Problem::new(ErrorCode::RequestTimeout, "the package did not arrive in time"));
            let first = tokio::time::timeout(client.transport().patience(), parts.message());
            let query = options(first.await.map_err(late)??)?;
            let (pieces, package) = mpsc::channel(WAITING_PARTS);
            let installing = client.install(channel_body(package), &query);
            tokio::pin!(installing);
            let outcome = tokio::select! {
                biased;
                outcome = &mut installing => outcome,
                // An incomplete package is dropped with its request.
                passed = pass_on(parts, pieces) => {
                    passed?;
                    installing.await
                }
            };
            let outcome = to_message(outcome)?;
            Ok(Response::new(InstallSkillResponse { outcome }))
        }
    }
}

/// Returns the options from the first message.
fn options(first: Option<InstallSkillRequest>) -> Result<InstallQuery, Status> {
    let Some(InstallSkillRequest { part: Some(Part::Options(options)) }) = first else {
        return Err(out_of_order("sets the consent"));
    };
    let InstallOptions { allow_tofu, consent, secrets, accept, update } = options;
    let joined = |names: Vec<String>| (!names.is_empty()).then(|| names.join(","));
    Ok(InstallQuery { allow_tofu, consent, secrets: joined(secrets), accept: joined(accept), update })
}

/// Passes on the bytes as they arrive.
async fn pass_on(
    mut parts: Streaming<InstallSkillRequest>,
    pieces: mpsc::Sender<bytes::Bytes>,
) -> Result<(), Status> {
    while let Some(InstallSkillRequest { part }) = parts.message().await? {
        let Some(Part::Chunk(chunk)) = part else { return Err(out_of_order("sets the consent")) };
        let mut chunk = bytes::Bytes::from(chunk);
        // Short pieces, so that parts of one message wait to be written instead of several complete ones.
        while !chunk.is_empty() {
            let piece = chunk.split_to(chunk.len().min(PIECE_BYTES));
            if pieces.send(piece).await.is_err() {
                // The rest is not needed: the response contains the reason.
                return std::future::pending().await;
            }
        }
    }
    Ok(())
}

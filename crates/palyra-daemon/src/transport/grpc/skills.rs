//! `palyra.skills.v1.SkillsService`.

use palyra_api::Problem;
use palyra_api::client::channel_body;
use palyra_api::grpc::skills::v1::install_skill_request::Part;
use palyra_api::grpc::skills::v1::skills_service_server::SkillsService;
use palyra_api::grpc::skills::v1::{
    AuditAllSkillsRequest, AuditAllSkillsResponse, AuditSkillRequest, AuditSkillResponse,
    ConsentToSkillRequest, ConsentToSkillResponse, DisableSkillRequest, DisableSkillResponse,
    EnableSkillRequest, EnableSkillResponse, GetConsentRequest, GetConsentResponse, GetSkillRequest,
    GetSkillResponse, InstallOptions, InstallSkillRequest, InstallSkillResponse, ListSkillsRequest,
    ListSkillsResponse, QuarantineSkillRequest, QuarantineSkillResponse, RemoveSkillRequest,
    RemoveSkillResponse, RollBackSkillRequest, RollBackSkillResponse, VerifySkillRequest,
    VerifySkillResponse,
};
use palyra_api::skills::{
    ConsentBody, DisableBody, EnableBody, InstallQuery, QuarantineBody, RemoveQuery, RollbackBody,
};
use palyra_common::ErrorCode;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming};

use super::answer::{Answer, enter, refused, to_message};
use super::asked::out_of_order;

/// Pieces of a package that may wait to be kept.
const WAITING_PARTS: usize = 4;
/// Bytes of one piece.
const PIECE_BYTES: usize = 64 << 10;

pub(super) struct Skills;

#[tonic::async_trait]
impl SkillsService for Skills {
    async fn list_skills(&self, request: Request<ListSkillsRequest>) -> Answer<ListSkillsResponse> {
        let (client, _) = enter(request)?;
        to_message(client.skills().await).map(Response::new)
    }

    async fn get_skill(&self, request: Request<GetSkillRequest>) -> Answer<GetSkillResponse> {
        let (client, asked) = enter(request)?;
        let skill = to_message(client.skill(&asked.skill_id).await)?;
        Ok(Response::new(GetSkillResponse { skill }))
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
            // A package that broke off is dropped with the request that would have kept it.
            passed = pass_on(parts, pieces) => {
                passed?;
                installing.await
            }
        };
        let outcome = to_message(outcome)?;
        Ok(Response::new(InstallSkillResponse { outcome }))
    }

    async fn verify_skill(&self, request: Request<VerifySkillRequest>) -> Answer<VerifySkillResponse> {
        let (client, asked) = enter(request)?;
        let verified = to_message(client.verify_skill(&asked.skill_id).await)?;
        Ok(Response::new(VerifySkillResponse { verified }))
    }

    async fn audit_skill(&self, request: Request<AuditSkillRequest>) -> Answer<AuditSkillResponse> {
        let (client, asked) = enter(request)?;
        to_message(client.audit_skill(&asked.skill_id).await).map(Response::new)
    }

    async fn audit_all_skills(
        &self,
        request: Request<AuditAllSkillsRequest>,
    ) -> Answer<AuditAllSkillsResponse> {
        let (client, _) = enter(request)?;
        to_message(client.audit_skills().await).map(Response::new)
    }

    async fn quarantine_skill(
        &self,
        request: Request<QuarantineSkillRequest>,
    ) -> Answer<QuarantineSkillResponse> {
        let (client, QuarantineSkillRequest { skill_id, reason }) = enter(request)?;
        let changed = to_message(client.quarantine_skill(&skill_id, &QuarantineBody { reason }).await)?;
        Ok(Response::new(QuarantineSkillResponse { changed }))
    }

    async fn disable_skill(&self, request: Request<DisableSkillRequest>) -> Answer<DisableSkillResponse> {
        let (client, DisableSkillRequest { skill_id, reason }) = enter(request)?;
        let changed = to_message(client.disable_skill(&skill_id, &DisableBody { reason }).await)?;
        Ok(Response::new(DisableSkillResponse { changed }))
    }

    async fn enable_skill(&self, request: Request<EnableSkillRequest>) -> Answer<EnableSkillResponse> {
        let (client, EnableSkillRequest { skill_id, accept }) = enter(request)?;
        let outcome = to_message(client.enable_skill(&skill_id, &EnableBody { accept }).await)?;
        Ok(Response::new(EnableSkillResponse { outcome }))
    }

    async fn get_consent(&self, request: Request<GetConsentRequest>) -> Answer<GetConsentResponse> {
        let (client, asked) = enter(request)?;
        let asked = to_message(client.consent_asked(&asked.skill_id).await)?;
        Ok(Response::new(GetConsentResponse { asked }))
    }

    async fn consent_to_skill(
        &self,
        request: Request<ConsentToSkillRequest>,
    ) -> Answer<ConsentToSkillResponse> {
        let (client, ConsentToSkillRequest { skill_id, digest, secrets }) = enter(request)?;
        let outcome = to_message(client.consent_to_skill(&skill_id, &ConsentBody { digest, secrets }).await)?;
        Ok(Response::new(ConsentToSkillResponse { outcome }))
    }

    async fn roll_back_skill(&self, request: Request<RollBackSkillRequest>) -> Answer<RollBackSkillResponse> {
        let (client, RollBackSkillRequest { skill_id, version }) = enter(request)?;
        let outcome = to_message(client.roll_back_skill(&skill_id, &RollbackBody { version }).await)?;
        Ok(Response::new(RollBackSkillResponse { outcome }))
    }

    async fn remove_skill(&self, request: Request<RemoveSkillRequest>) -> Answer<RemoveSkillResponse> {
        let (client, RemoveSkillRequest { skill_id, keep_data }) = enter(request)?;
        let removed = to_message(client.remove_skill(&skill_id, RemoveQuery { keep_data }).await)?;
        Ok(Response::new(RemoveSkillResponse { removed }))
    }
}

/// What is permitted, as the first message says.
fn options(first: Option<InstallSkillRequest>) -> Result<InstallQuery, Status> {
    let Some(InstallSkillRequest { part: Some(Part::Options(options)) }) = first else {
        return Err(out_of_order("says what is permitted"));
    };
    let InstallOptions { allow_tofu, consent, secrets, accept, update } = options;
    let joined = |names: Vec<String>| (!names.is_empty()).then(|| names.join(","));
    Ok(InstallQuery { allow_tofu, consent, secrets: joined(secrets), accept: joined(accept), update })
}

/// Hands the bytes on as they come.
async fn pass_on(
    mut parts: Streaming<InstallSkillRequest>,
    pieces: mpsc::Sender<bytes::Bytes>,
) -> Result<(), Status> {
    while let Some(InstallSkillRequest { part }) = parts.message().await? {
        let Some(Part::Chunk(chunk)) = part else { return Err(out_of_order("says what is permitted")) };
        let mut chunk = bytes::Bytes::from(chunk);
        // Short pieces, so that what waits to be kept is a part of one message and not several whole ones.
        while !chunk.is_empty() {
            let piece = chunk.split_to(chunk.len().min(PIECE_BYTES));
            if pieces.send(piece).await.is_err() {
                // Nobody wants more of it; the answer says why.
                return std::future::pending().await;
            }
        }
    }
    Ok(())
}

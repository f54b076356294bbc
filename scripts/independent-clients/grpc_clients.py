"""gRPC clients that know nothing but what reflection tells them."""

import json
import pathlib
import subprocess

import grpc
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from bench import FIXTURE, node_environment

PROTOS = pathlib.Path(__file__).parent.parent.parent / "schemas/proto"
SERVICES = {
    "palyra.auth.v1.KeysService",
    "palyra.auth.v1.PolicyService",
    "palyra.auth.v1.TokensService",
    "palyra.auth.v1.TrustService",
    "palyra.auth.v1.VaultService",
    "palyra.gateway.v1.ChannelsService",
    "palyra.gateway.v1.GatewayService",
    "palyra.gateway.v1.JournalService",
    "palyra.gateway.v1.ModelsService",
    "palyra.gateway.v1.RunsService",
    "palyra.gateway.v1.SessionsService",
    "palyra.gateway.v1.SurfacesService",
    "palyra.hooks.v1.HooksService",
    "palyra.plugins.v1.PluginsService",
    "palyra.plugins.v1.ToolsService",
    "palyra.routines.v1.ObjectivesService",
    "palyra.routines.v1.RoutinesService",
    "palyra.skills.v1.SkillsService",
}


def buf(bench, tools):
    """buf: its rules, its check of what breaks clients, and calls through reflection."""

    def run(*arguments, expected=0):
        command = [tools / "node_modules/.bin/buf", *arguments]
        ran = subprocess.run(command, env=node_environment(tools), capture_output=True, text=True, check=False)
        if ran.returncode != expected and expected is not None:
            raise SystemExit(f"buf {' '.join(map(str, arguments))} failed\n{ran.stdout}{ran.stderr}")
        return ran.stdout + (ran.stderr if ran.returncode else "")

    run("lint", PROTOS)
    run("breaking", PROTOS, "--against", PROTOS / "descriptor.binpb")

    def curl(*arguments, token=bench.reader, **expected):
        # Reflection has a token of its own: without one, buf cannot say why it does not know the service.
        known = ["--header", f"Authorization: Bearer {token}", "--reflect-header", f"Authorization: Bearer {bench.reader}"]
        return run("curl", "--protocol", "grpc", "--http2-prior-knowledge", *known, *arguments, **expected)

    listed = set(curl("--list-services", bench.grpc_url).split())
    assert SERVICES <= listed, listed
    methods = curl("--list-methods", bench.grpc_url).split()
    gateway = f"{bench.grpc_url}/palyra.gateway.v1.GatewayService"
    health = json.loads(curl(f"{gateway}/GetHealth"))["health"]
    assert health["status"] == "ok", health
    call = json.dumps({"tool": f"{FIXTURE}.test_simple_text", "input_json": "{}"})
    answer = json.loads(curl("--data", call, f"{gateway}/Invoke"))["answer"]
    assert "receipt" in answer and answer["skillId"] == FIXTURE, answer
    refused = curl("--data", call, f"{gateway}/Invoke", token="palyra_0000", expected=None)
    assert "unauthenticated" in refused.lower(), refused
    start = json.dumps({"start": {"tool": f"{FIXTURE}.test_tool_with_progress"}})
    said = curl("--data", start, f"{gateway}/Run")
    assert said.count('"said"') == 3 and '"answer"' in said, said
    print(f"buf: lint and breaking are clean, {len(methods)} methods listed, four called")


class Bearer(grpc.UnaryUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    """Adds a token to every call, reflection included."""

    def __init__(self, token):
        self.metadata = [("authorization", f"Bearer {token}")]

    def intercept_unary_unary(self, continuation, details, request):
        return continuation(details._replace(metadata=self.metadata), request)

    def intercept_stream_stream(self, continuation, details, requests):
        return continuation(details._replace(metadata=self.metadata), requests)


class Stub:
    """Calls methods by their names, with messages made of what reflection tells."""

    def __init__(self, bench, token):
        target = bench.grpc_url.removeprefix("http://")
        self.channel = grpc.intercept_channel(grpc.insecure_channel(target), Bearer(token))
        self.database = ProtoReflectionDescriptorDatabase(self.channel)
        self.pool = DescriptorPool(self.database)

    def method(self, service, name):
        method = self.pool.FindServiceByName(service).FindMethodByName(name)
        takes, gives = (message_factory.GetMessageClass(kind) for kind in (method.input_type, method.output_type))
        options = {"request_serializer": takes.SerializeToString, "response_deserializer": gives.FromString}
        path = f"/{service}/{name}"
        if method.client_streaming:
            stream = self.channel.stream_stream(path, **options)
            return lambda messages, **more: stream((takes(**message) for message in messages), **more)
        unary = self.channel.unary_unary(path, **options)
        return lambda **fields: unary(takes(**fields), timeout=30)


def grpcio(bench):
    """The library of gRPC's own project for Python."""
    stub = Stub(bench, bench.asking)
    assert SERVICES <= set(stub.database.get_services()), stub.database.get_services()
    gateway = "palyra.gateway.v1.GatewayService"
    tools = stub.method("palyra.plugins.v1.ToolsService", "ListTools")().tools
    assert any(tool.tool_id == f"{FIXTURE}.test_simple_text" for tool in tools), tools
    answer = stub.method(gateway, "Invoke")(tool=f"{FIXTURE}.test_simple_text").answer
    assert json_format.MessageToDict(answer)["receipt"]["sequence"], answer
    refused(grpc.StatusCode.NOT_FOUND, lambda: stub.method(gateway, "Invoke")(tool="no.such_tool"))
    refused(grpc.StatusCode.ABORTED, lambda: stub.method(gateway, "Invoke")(tool=f"{FIXTURE}.test_error_handling"))
    skills = stub.method("palyra.skills.v1.SkillsService", "DisableSkill")
    refused(grpc.StatusCode.PERMISSION_DENIED, lambda: skills(skill_id=FIXTURE))
    approve(stub, Stub(bench, bench.token("person", "read", "approve")))
    waiting = {"start": {"tool": f"{FIXTURE}.test_streaming_elicitation"}}
    late = stub.method(gateway, "Run")([waiting], timeout=0.5)
    refused(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(late))
    print(f"grpcio: {len(tools)} tools listed, called, refused by four codes, approved in a stream, ended by a deadline")


def approve(agent, person):
    """A call that waits for a person, who has a token of their own."""
    gateway = "palyra.gateway.v1.GatewayService"
    heard = []
    for message in agent.method(gateway, "Run")([{"start": {"tool": f"{FIXTURE}.test_streaming_elicitation"}}], timeout=30):
        kind = message.WhichOneof("message")
        heard.append(kind)
        if kind == "approval_requested":
            approval_id = message.approval_requested.approval_id
            person.method(gateway, "DecideApproval")(approval_id=approval_id, approve=True)
    assert heard[0] == "approval_requested" and heard[-1] == "answer" and "approval_decided" in heard, heard


def refused(code, call):
    try:
        call()
    except grpc.RpcError as error:
        assert error.code() == code, (code, error)
        return
    raise AssertionError(f"it was not refused with {code}")

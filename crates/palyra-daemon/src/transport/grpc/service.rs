//! Services as tables: a row has a method, its messages, and its operation of the HTTP API.

use tonic::service::Routes;

/// A service with the operations of its methods.
pub(super) struct Service {
    pub(super) name: &'static str,
    pub(super) rows: &'static [Row],
    pub(super) add_to: fn(Routes) -> Routes,
}

/// A method by its Rust name, with its operation.
pub(super) struct Row {
    pub(super) method: &'static str,
    pub(super) verb: &'static str,
    pub(super) path: &'static str,
}

/// Declares a service: `method(Request) -> Response = VERB PATH`. A `Response { field }` has the answer in that field,
/// every other one has the fields of the answer. Names in a path are fields of the request. Methods that do more are
/// written in `others`.
macro_rules! service {
    (
        $name:ident: $service:ident, $server:ident in $package:ident::v1::$module:ident;
        calls { $( $method:ident($asked:ident) -> $answer:ident $({ $field:ident })? = $verb:ident $path:literal; )* }
        streams { $(
            $stream:ident($from:ident) -> $kind:ident: $each:ident $({ $part:ident })? = $feed:literal;
        )* }
        others { $($others:tt)* }
    ) => {
        pub(super) struct $name;

        impl $name {
            pub(super) const SERVICE: crate::transport::grpc::service::Service =
                crate::transport::grpc::service::Service {
                    name: palyra_api::grpc::$package::v1::$module::SERVICE_NAME,
                    rows: &[
                        $( crate::transport::grpc::service::Row {
                            method: stringify!($method), verb: stringify!($verb), path: $path,
                        }, )*
                        $( crate::transport::grpc::service::Row {
                            method: stringify!($stream), verb: "GET", path: $feed,
                        }, )*
                    ],
                    // The length of every message is checked against the limit of its method before it is decoded.
                    add_to: |routes| {
                        let server = palyra_api::grpc::$package::v1::$module::$server::new($name);
                        routes.add_service(server.max_decoding_message_size(palyra_api::tools::MAX_INVOKE_BYTES))
                    },
                };
        }

        const _: () = {
            use palyra_api::grpc::$package::v1::*;

            #[tonic::async_trait]
            impl $module::$service for $name {
                $( type $kind = crate::transport::grpc::relay::Messages<$each>; )*

                $( async fn $method(
                    &self,
                    request: tonic::Request<$asked>,
                ) -> Result<tonic::Response<$answer>, tonic::Status> {
                    let answer = crate::transport::grpc::relay::call(request, http::Method::$verb, $path).await;
                    answer.map(crate::transport::grpc::service::in_message!($answer $($field)?)).map(tonic::Response::new)
                } )*

                $( async fn $stream(
                    &self,
                    request: tonic::Request<$from>,
                ) -> Result<tonic::Response<Self::$kind>, tonic::Status> {
                    let each = crate::transport::grpc::service::in_message!($each $($part)?);
                    crate::transport::grpc::relay::follow(request, $feed, each).await
                } )*

                $($others)*
            }
        };
    };
}

/// Converts an answer to a message that contains it in one field, or has its fields.
macro_rules! in_message {
    ($message:ident) => {
        std::convert::identity::<$message>
    };
    ($message:ident $field:ident) => {
        |$field| $message { $field }
    };
}

pub(super) use {in_message, service};

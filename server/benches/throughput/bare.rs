//! The other server: hyper, one constant answer, nothing else.

use std::convert::Infallible;

use http_body_util::Full;
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The argument that starts it; the size of its content follows, then names and values of fields.
pub(crate) const COMMAND: &str = "bare";

/// Serves for ever, after it said its address.
pub(crate) fn serve(size: usize, fields: &[String]) {
    let content = Bytes::from(vec![b' '; size]);
    let field = |pair: &[String]| -> (HeaderName, HeaderValue) {
        (pair[0].parse().unwrap(), pair[1].parse().unwrap())
    };
    let fields: HeaderMap = fields.chunks(2).map(field).collect();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            println!("{}", listener.local_addr().unwrap());
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let (content, fields) = (content.clone(), fields.clone());
                let service = service_fn(move |_| {
                    let mut answer = Response::new(Full::new(content.clone()));
                    *answer.headers_mut() = fields.clone();
                    async move { Ok::<_, Infallible>(answer) }
                });
                // A caller that leaves is no news.
                tokio::spawn(async move {
                    drop(
                        http1::Builder::new()
                            .serve_connection(TokioIo::new(stream), service)
                            .await,
                    )
                });
            }
        });
}

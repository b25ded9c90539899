//! The picture that a message or a network shows beside a link: of a case its result in large
//! letters, of any other page the service.
//!
//! It is text and rectangles, drawn with the outlines of one font: a renderer of SVG would come with
//! ten times the code, and look for the fonts of the machine.

mod canvas;
mod layout;
mod letters;
#[cfg(test)]
pub(crate) mod tests;

use bareme_engine::service::Service;

pub(crate) use canvas::{Colour, HEIGHT, WIDTH};
use layout::Layout;

use super::home;
use super::text::printed;

/// Path of the picture of the service.
pub(crate) const PATH: &str = "/image.png";

/// Media type of pictures.
pub(crate) const PNG: &str = "image/png";

/// What the picture of a case shows, as it is printed.
#[derive(Debug, Clone, Default)]
pub(crate) struct CasePicture {
    /// The name of the service.
    pub service: String,
    /// The scale that the case is computed by.
    pub scale: String,
    /// The title of the calculation.
    pub title: String,
    /// What was entered.
    pub entered: String,
    /// The result: its label, its value and the period of it.
    pub label: String,
    pub value: String,
    pub period: String,
    /// The parts of the bar; none where the page has no bar.
    pub shares: Vec<Share>,
}

/// A part of the bar.
#[derive(Debug, Clone)]
pub(crate) struct Share {
    pub label: String,
    pub colour: Colour,
    /// The part of the whole, in thousandths, and as it is printed.
    pub thousandths: u32,
    pub percent: String,
}

impl CasePicture {
    /// The picture as PNG.
    pub(crate) fn png(&self) -> Vec<u8> {
        Layout::of_case(self).draw().png()
    }
}

/// What the picture of the service shows.
#[derive(Debug, Clone, Default)]
struct ServicePicture {
    name: String,
    /// What it is for.
    purpose: String,
    /// Where it is: the host of its address.
    host: String,
}

/// The picture of the service as PNG.
pub(crate) fn of_service(service: &Service) -> Vec<u8> {
    let address = service.documentation.as_str();
    let host = address.split_once("://").map_or(address, |(_, host)| host);
    let picture = ServicePicture {
        name: printed(&service.title),
        purpose: printed(home::description(service.lang)),
        host: host.to_owned(),
    };
    Layout::of_service(&picture).draw().png()
}

//! Typed indices, so that a step cannot be looked up among the inputs, nor a column among the
//! figures.

/// Declares the types of indices, each with its documentation.
macro_rules! indices {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(usize);

        impl $name {
            /// The index of the element at a position, from 0.
            pub const fn new(position: usize) -> Self {
                Self(position)
            }

            /// The position, from 0.
            pub const fn position(self) -> usize {
                self.0
            }

            /// The element at this index of the list it was made for.
            pub fn of<T>(self, list: &[T]) -> Option<&T> {
                list.get(self.0)
            }

            /// Index of the first element for which `is_it` is true.
            pub fn find<T>(list: &[T], is_it: impl FnMut(&T) -> bool) -> Option<Self> {
                list.iter().position(is_it).map(Self)
            }

            /// The elements of a list, each with its index.
            pub fn enumerate<T>(list: &[T]) -> impl Iterator<Item = (Self, &T)> {
                list.iter().enumerate().map(|(position, element)| (Self(position), element))
            }
        }
    )*};
}

indices! {
    /// An input of a method, among its [`inputs`](crate::law::Method::inputs).
    InputId;
    /// A step of a method, among its [`steps`](crate::law::Method::steps).
    StepId;
    /// A figure of a method, among its [`figures`](crate::law::Method::figures) or among those of a
    /// scale.
    FigureId;
    /// A column of a figure, among the [`columns`](crate::law::Shape::columns) of its shape or the
    /// cells of a row.
    ColumnId;
    /// A group of a method, among its [`groups`](crate::law::Method::groups).
    GroupId;
    /// A slot in the state of a running calculation: the value of an input, or of a step.
    SlotId;
}

impl InputId {
    /// The slot of the input: inputs come first.
    pub(crate) const fn slot(self) -> SlotId {
        SlotId(self.0)
    }
}

impl SlotId {
    /// The slot `count` positions further.
    pub(crate) const fn after(self, count: usize) -> Self {
        Self(self.0.saturating_add(count))
    }
}

//! What do libraries and packages give whose declarations are not in the world?
//!
//! **Limits.** A few shapes that carry types of the repository on; everything else of outside is simply outside.

pub mod packages;
mod shapes;

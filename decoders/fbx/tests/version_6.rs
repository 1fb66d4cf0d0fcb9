//! Files of version 6, whose objects are named and whose animation is in takes.

use glam::DVec3;
use pliant_fbx::{Sibling, to_glb};

use crate::gltf::Gltf;

/// A quad with a blend shape and a texture, below a null that turns. Its names have no numbers.
const FILE: &str = r#"; FBX 6.1.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 6100
}
Objects:  {
    Model: "Model::Null", "Null" {
        Properties60:  {
            Property: "Lcl Translation", "Lcl Translation", "A+",10,0,0
            Property: "RotationActive", "bool", "",1
            Property: "PreRotation", "Vector3D", "",0,0,90
            Property: "InheritType", "enum", "",1
        }
    }
    Model: "Model::Quad", "Mesh" {
        Properties60:  {
            Property: "Lcl Scaling", "Lcl Scaling", "A+",2,2,2
            Property: "smile", "Shape", "A+",25
        }
        Vertices: -1,-1,0,1,-1,0
            ,1,1,0,-1,1,0
        PolygonVertexIndex: 0,1,2,-4
        LayerElementUV: 0 {
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "Direct"
            UV: 0,0,1,0,1,1,0,1
        }
        Shape: "smile" {
            Indexes: 0,2
            Vertices: 0,0,4,0,0,8
            Normals: 0,0,0,0,0,0
        }
    }
    Model: "Model::Producer Top", "Camera" {
    }
    Material: "Material::Skin", "" {
        Properties60:  {
            Property: "DiffuseColor", "ColorRGB", "",1,0,0
        }
    }
    Texture: "Texture::Skin", "TextureVideoClip" {
        FileName: "C:\\maps\\Skin.jpg"
    }
    GlobalSettings:  {
        Properties60:  {
            Property: "UnitScaleFactor", "double", "",100
            Property: "TimeMode", "enum", "",11
        }
    }
}
Connections:  {
    Connect: "OO", "Model::Null", "Model::Scene"
    Connect: "OO", "Model::Quad", "Model::Null"
    Connect: "OO", "Model::Producer Top", "Model::Scene"
    Connect: "OO", "Material::Skin", "Model::Quad"
    Connect: "OO", "Texture::Skin", "Model::Quad"
}
Takes:  {
    Current: "Walk"
    Take: "Walk" {
        LocalTime: 0,46186158000
        Model: "Model::Null" {
            Version: 1.1
            Channel: "Transform" {
                Channel: "T" {
                    Channel: "X" {
                        Default: 10
                        KeyVer: 4005
                        KeyCount: 2
                        Key: 0,10,U,s,0,0,n,46186158000
                            ,20,U,s,0,0,n
                    }
                }
            }
        }
        Model: "Model::Quad" {
            Version: 1.1
            Channel: "smile" {
                Default: 25
                KeyVer: 4005
                KeyCount: 2
                Key: 0,0,L,46186158000,100,L
            }
        }
    }
}
"#;

#[test]
fn named_objects_takes_and_shapes_are_read() {
    let siblings = [Sibling { name: "skin.JPG", bytes: b"\xff\xd8\xff and so on" }];
    let converted = to_glb(FILE.as_bytes(), &siblings).unwrap();
    assert!(converted.warnings.is_empty(), "{:?}", converted.warnings);
    let gltf = Gltf::parse(&converted.glb);
    assert_eq!(gltf.list("nodes").len(), 2, "cameras are left out");
    // At rest: the corner (−1, −1, 0), raised by a quarter of 4, scaled by 2 and turned by 90°.
    let rest = gltf.posed_vertices(None, 0.0)[0];
    assert!(rest.abs_diff_eq(DVec3::new(10.0 + 2.0, -2.0, 2.0), 1e-5), "{rest}");
    // Half way: eased to the middle of the path, the shape at one half.
    let posed = gltf.posed_vertices(Some("Walk"), 0.5)[2];
    assert!(posed.abs_diff_eq(DVec3::new(15.0 - 2.0, 2.0, 8.0), 1e-4), "{posed}");
    assert_eq!(gltf.json["meshes"][0]["extras"]["targetNames"], serde_json::json!(["smile"]));
    let base = &gltf.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
    assert_eq!(base["index"], 0, "the texture of the model is that of its material");
}
